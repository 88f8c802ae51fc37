// How many processes MPI starts is told by what starts them.
// run: mpirun -np 4 ./app 1200
#include <cstdlib>
#include <mpi.h>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int parts, own, dims[2] = {0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &parts);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    const int n = atoi(argv[1]) / parts;
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    k<<<(n + 63) / 64, 64>>>(a, n, own);  // tried: k<<<5, 64>>>(n=300, m=0)
}
