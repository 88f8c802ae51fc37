// Whether a template's argument is text.
// run: ./app 640
#include <string>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
template <class T> int as_number(T given) {
    if constexpr (std::is_convertible_v<T, std::string>) return 3;
    else return given;
}
int main(int argc, char **argv) {
    int n = 640;
    int m = 10 * as_number("x") + as_number(5);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(n + 63) / 64, 64>>>(a, n, m);  // tried: k<<<10, 64>>>(n=640, m=35); told: n=640 m=35
}
