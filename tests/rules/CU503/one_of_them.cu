// Whether an array gains by `__restrict__`, or others of its kernel do: all are tried together.
__device__ int shown;

// Each thread loads `of[f]` again after each store; what `all` holds, one thread of the launch does.
__global__ void limits(const int *all, const int *of, int *low, int *high, int *both, int n)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < n) {
        low[f] = of[f] + all[0];
        high[f] = of[f] * 3;  // expect: CU503 "`of` is loaded again after each store, which might have changed it: 3 loads"
        both[f] = of[f] * 5;
        if (f == 0)
            shown = all[0] + 1;
    }
}

void launch(const int *all, const int *of, int *low, int *high, int *both)
{
    limits<<<1000, 256>>>(all, of, low, high, both, 256000);
}
