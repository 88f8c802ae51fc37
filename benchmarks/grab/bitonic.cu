// Bitonic sort of 512 integers by one block of 512 threads (Horga et al., Table 3).

__global__ void bitonic_basic(int *values)
{
    unsigned t = threadIdx.x, n = blockDim.x;

    for (unsigned k = 2; k <= n; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if (up ? values[t] > values[other] : values[t] < values[other]) {
                    int kept = values[t];
                    values[t] = values[other];
                    values[other] = kept;
                }
            }
            __syncthreads();
        }
}

__global__ void bitonic_best(int *values)
{
    extern __shared__ int shared[];
    unsigned t = threadIdx.x, n = blockDim.x;

    shared[t] = values[t];
    __syncthreads();
    for (unsigned k = 2; k <= n; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                if (up ? shared[t] > shared[other] : shared[t] < shared[other]) {
                    int kept = shared[t];
                    shared[t] = shared[other];
                    shared[other] = kept;
                }
            }
            __syncthreads();
        }
    values[t] = shared[t];
}
