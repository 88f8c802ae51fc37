// A class that device code shares with the host has handles of MPI's.
// kernels: scale
// calls: 1
#include <mpi.h>
struct grid {
  MPI_Comm all, row;
  MPI_Request *sent;
  MPI_Status last;
  int rows, columns;
};
__global__ void scale(grid *g, float *a) {
  if (threadIdx.x < g->rows * g->columns) a[threadIdx.x] *= 2;
}
