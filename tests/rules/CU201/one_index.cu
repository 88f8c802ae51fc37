// Keys and their values go where one index says: what changes it mends the conflicts of both.
__device__ void put(int *keys, int *values, int place, int key, int value)
{
    keys[place] = key;  // expect: CU201 "store to `keys`" "2 wavefronts"
    values[place] = value;  // also: CU201
}

__global__ void spread(int *out, const int *in, int stride)
{
    __shared__ int key[513], value[513];
    int t = threadIdx.x;
    put(key + 1, value + 1, 2 * t - (t & (stride - 1)), in[t], in[t + 256]);
    __syncthreads();
    out[t] = key[t] + value[511 - t];
}

__device__ void put_apart(int *keys, int *values, int place, int other, int key, int value)
{
    keys[place] = key;  // expect: CU201 "store to `keys`" "2 wavefronts"
    values[other] = value;  // expect: CU201 "store to `values`" "2 wavefronts"
}

__global__ void by_two_indices(int *out, const int *in, int stride)
{
    __shared__ int key[513], value[513];
    int t = threadIdx.x;
    put_apart(key + 1, value + 1, 2 * t - (t & (stride - 1)), 2 * t + 1 - (t & (stride - 1)), in[t], in[t + 256]);
    __syncthreads();
    out[t] = key[t] + value[511 - t];
}

void launch(int *out, const int *in)
{
    spread<<<64, 256>>>(out, in, 1);
    by_two_indices<<<64, 256>>>(out, in, 1);
}
