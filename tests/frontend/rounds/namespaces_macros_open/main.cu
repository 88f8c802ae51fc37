// What a macro opens or closes is no part of the declaration beside it, which is the host's and goes.
// kernels: k
// calls: 1
#include "define.h"
#include "vector.h"

OPEN_INNER

void launch(float *p);

__global__ void k(float *p) {
  WITH_PROJECT
  Row<2> row;
  row.x[0] = p[threadIdx.x];
  row.x[1] = 1;
  row.turn(1);
  p[threadIdx.x] = row.x[0] + row.x[1];
}

CLOSE_INNER
