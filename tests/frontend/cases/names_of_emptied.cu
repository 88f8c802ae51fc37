// kernels: filled<plain::types::size>
// The header is the host's, and what the launch names of it is needed all the same.
#include "names_of_emptied.h"

template <class T> __global__ void filled(T *a, T value) { a[threadIdx.x] = value; }

void fill(int *a) { filled<plain::types::size><<<1, 256>>>(a, 3); }
