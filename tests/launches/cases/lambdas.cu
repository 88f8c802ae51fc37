// Lambdas that return numbers and blocks, and values out of maps.
#include <map>

__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}

void grids(float *a, int n) {
    auto grid = [](int count) { return dim3((count + 63) / 64); };
    k<<<grid(n), 64>>>(a, n);  // tried: k<<<20, 64>>>(n=1280) | k<<<2, 64>>>(n=96)
}

void blocks(float *a, int n) {
    auto block = [&]() -> dim3 { return {32, 4}; };
    auto parts = [](int x, int y) { return (x + y - 1) / y; };
    k<<<parts(n, 128), block()>>>(a, n);  // tried: k<<<10, (32, 4)>>>(n=1280) | k<<<1, (32, 4)>>>(n=96)
}

const std::map<int, int> kThreads = {{1, 96}, {2, 160}};

void known_key(float *a, int n) {
    std::map<int, int> threads = {{1, 64}, {2, 128}};
    k<<<n / 64, threads[2]>>>(a, n);  // tried: k<<<20, 128>>>(n=1280) | k<<<1, 128>>>(n=96)
}

void each_value(float *a, int n, int kind) {
    k<<<n / 32, kThreads.at(kind)>>>(a, n);  // tried: k<<<40, 96>>>(n=1280) | k<<<3, 96>>>(n=96) ; k<<<40, 160>>>(n=1280) | k<<<3, 160>>>(n=96)
}
