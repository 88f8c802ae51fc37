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
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];  // expect: CU201 "`i + (i >> 5)`" "frees all its conflicts" "92 wavefronts in the place of 333"  // also: CU201
        offset *= 2;
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = temp[t];
    out[blockIdx.x * 512 + t + 256] = temp[t + 256];
}

void launch(float *out, const float *in) { scan<<<64, 256>>>(out, in); }
