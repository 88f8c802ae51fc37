// rules: CU106
// Values that loops load again and again, and that a register could hold.
#include <cuda_runtime.h>

// read before the loop in any case: the address is valid
__global__ void known(int *out, const double *scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double first = scale[i];
    for (int k = 0; k < n; k++) {
        out[k * 4096 + i] = (int)(scale[i] * k + first);
    }
}

// of a loop without a turn it is not known that the element is there
__global__ void open_(int *out, const double *scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 4096 + i] = (int)(scale[i] * k);
}

// what is left alone: the array passed twice, an index that moves
__global__ void twice(int *out, const int *scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 4096 + i] = scale[i] * k;
}

__global__ void moves(int *out, const double *scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    for (int k = 0; k < n; k++) {
        out[k * 4096 + i] = (int)(scale[at] * k);
        at += k == 7;
    }
}

int main()
{
    int *a;
    double *b;
    cudaMalloc(&a, 64 * 4096 * sizeof(int));
    cudaMalloc(&b, 8192 * sizeof(double));
    known<<<16, 256>>>(a, b, 64);
    open_<<<16, 256>>>(a, b, 64);
    twice<<<16, 256>>>(a, a, 64);
    moves<<<16, 256>>>(a, b, 64);
}
