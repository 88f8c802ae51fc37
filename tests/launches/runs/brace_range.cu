// A script's loop over a range in braces runs the program with the first number of it.
// run: for n in {24..90..10}; do ./app $n; done
#include <cstdlib>
__global__ void k(int *a, int n) {
    int i = threadIdx.x;
    if (i < n) a[i]++;
}
int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 1 << 20);
    k<<<1, 32>>>(a, atoi(argv[1]));  // told: n=24
}
