// Constants with C linkage, variables that an option changes, and what old toolkits lack.
#include <cmath>
#include <cstdlib>
extern "C" const unsigned MOST = 4096;
int count = 1 << 14;
int verbose = 0;
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void set(int argc, char **argv) {
    if (argc > 1) count = atoi(argv[1]);
    if (argc > 2) verbose = atoi(argv[2]);
}
void run(float *a) {
    plain<<<MOST / 64, 64>>>(a, 5); // tried: plain<<<64, 64>>>(n=5)
    plain<<<count / 64, 64>>>(a, count); // tried: plain<<<256, 64>>>(n=16384)
    plain<<<(int)rint(99.6), 64>>>(a, 5); // tried: plain<<<100, 64>>>(n=5)
}
#if CUDART_VERSION < 2020
void old(float *a) { plain<<<1, 1>>>(a, 1); }
#endif
struct Arrays { size_t blocks; int count; };
void touch(Arrays *arrays) {}
void prepare(Arrays *arrays) {
    arrays->count = 1000;
    size_t blocks = arrays->count / 128;
    if ((blocks % 128) != 0) {
        blocks++;
    }
    arrays->blocks = blocks;
}
void launch(Arrays *arrays, float *a) {
    plain<<<arrays->blocks, 128>>>(a, arrays->count); // tried: plain<<<8, 128>>>(n=1000)
}
int main() {
    Arrays arrays;
    prepare(&arrays);
    touch(&arrays);
    launch(&arrays, nullptr);
}
