// What an option that is not given is set to afterwards: where nobody asks for another value, that.
#include <cstdlib>
#include <unistd.h>
__global__ void counted(float *a, int n) { a[threadIdx.x] += n; }
__global__ void quick(float *a, int n) { a[threadIdx.x] -= n; }
__global__ void slow(float *a, int n) { a[threadIdx.x] *= n; }
int main(int argc, char **argv) {
    int n = -1, m = 0, fast = 0, c;
    float *a = nullptr;
    while ((c = getopt(argc, argv, "n:m:f")) != -1) {
        switch (c) {
        case 'n': n = atoi(optarg); break;
        case 'm': m = atoi(optarg); break;
        case 'f': fast = 1; break;
        }
    }
    if (n == -1) n = 4096;
    if (m <= 0) m = 2 * n;
    if (m > 1000000) m = 1000000;
    counted<<<n / 64, 64>>>(a, n); // tried: counted<<<64, 64>>>(n=4096)
    counted<<<m / 64, 64>>>(a, m); // tried: counted<<<128, 64>>>(n=8192)
    int threads = 64;
    if (fast) threads = 128;
    if (fast)
        quick<<<4, threads>>>(a, n); // tried: quick<<<4, 128>>>(n=4096)
    else
        slow<<<4, threads>>>(a, n); // tried: slow<<<4, 64>>>(n=4096)
}
