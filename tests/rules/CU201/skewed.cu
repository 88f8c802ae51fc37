// Arrays that are no tiles: what a skewed index does for them is tried.

// A work-efficient scan after Blelloch: lanes are 2, 4, 8 … elements apart.
__global__ void scan(float *out, const float *in)
{
    __shared__ float temp[512];
    int t = threadIdx.x;
    temp[2 * t] = in[blockIdx.x * 512 + 2 * t];  // expect: CU102  // refuted: CU201 (nothing to report) "one access of 8 bytes"
    temp[2 * t + 1] = in[blockIdx.x * 512 + 2 * t + 1];  // refuted: CU201 (nothing to report)
    int offset = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];  // expect: CU201 "`i + (i >> 5)`" "frees all its conflicts; the array grows by an element for every 32" "92 wavefronts in the place of 333"  // also: CU201
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = temp[t];
    out[blockIdx.x * 512 + t + 256] = temp[t + 256];
}

// The launch says how large the array is.
__global__ void scan_of_any(float *out, const float *in)
{
    extern __shared__ float whole[];
    int t = threadIdx.x;
    whole[t] = in[blockIdx.x * 256 + t];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            whole[offset * (2 * t + 2) - 1] += whole[offset * (2 * t + 1) - 1];  // expect: CU201 "the launch's bytes for it grow by an element for every 32"  // also: CU201
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = whole[t];
}

// It has room for another index already.
__global__ void scan_with_room(float *out, const float *in)
{
    __shared__ float room[512];
    int t = threadIdx.x;
    room[t] = in[blockIdx.x * 256 + t];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            room[offset * (2 * t + 2) - 1] += room[offset * (2 * t + 1) - 1];  // expect: CU201 "`i + (i >> 5)`"  // also: CU201
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = room[t];
}

void launch(float *out, const float *in)
{
    scan<<<64, 256>>>(out, in);
    scan_of_any<<<64, 256, 256 * sizeof(float)>>>(out, in);
    scan_with_room<<<64, 256>>>(out, in);
}
