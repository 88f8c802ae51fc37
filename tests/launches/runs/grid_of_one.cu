// A grid of processes of which there is one.
#include <mpi.h>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Parts {
    int size, rank, dims[2] = {0, 0}, at[2] = {9, 9};
    MPI_Comm comm;
    Parts() {
        int periods[2] = {0, 0};
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Dims_create(size, 2, dims);
        MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
        MPI_Cart_get(comm, 2, dims, periods, at);
    }
};
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    Parts parts;
    const int n = 800 / parts.dims[1];
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    k<<<(n + 63) / 64, 64>>>(a, n, parts.size);  // tried: k<<<13, 64>>>(n=800, m=1)
}
