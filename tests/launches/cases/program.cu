// What the program is run with, and what it does where nobody says.
#include <cstdlib>
#include <unistd.h>
__global__ void plain(float *a, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += by;
}
int main(int argc, char **argv) {
    float *a = nullptr;
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    plain<<<(n + 255) / 256, 256>>>(a, n, 2.f); // tried: plain<<<12, 256>>>(n=3000, by=2.0)
    int size = 4096, option;
    float by = 0.5f;
    while ((option = getopt(argc, argv, "s:b:")) != -1) {
        switch (option) {
        case 's': size = atoi(optarg); break;
        case 'b': by = atof(optarg); break;
        }
    }
    plain<<<size / 64, 64>>>(a, size, by); // tried: plain<<<64, 64>>>(n=4096, by=0.5)
    int left = 1 << 16;
    while (left > 1) {
        plain<<<left / 128, 128>>>(a, left, 1.f); // tried: plain<<<512, 128>>>(n=65536, by=1.0) ; plain<<<1, 128>>>(n=128, by=1.0)
        left = (left + 7) / 8;
    }
    return 0;
}
void device(float *a, int n) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int threads = 0;
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
    plain<<<prop.multiProcessorCount * 2, 96>>>(a, threads, 1.f); // tried: plain<<<216, 96>>>(n=1024, by=1.0)
}
