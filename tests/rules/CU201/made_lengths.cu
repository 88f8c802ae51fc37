// A length is a difference of what the host fills in: a made-up one leads beyond the array.

#define N 256
#define BOUNDED(length) length

__global__ void merged(unsigned *out, const unsigned *in, const unsigned *ends)
{
    __shared__ unsigned k[N], v[N];
    unsigned t = threadIdx.x, n = BOUNDED(ends[blockIdx.x + 1] - ends[blockIdx.x]);
    in += blockIdx.x * N, out += blockIdx.x * N;
    k[t] = in[t], k[t + N / 2] = in[t + N / 2];
    v[t] = t, v[t + N / 2] = t + N / 2;
    for (unsigned stride = N / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned at = 2 * t - (t & (stride - 1));
        unsigned a = k[at], b = k[at + stride];  // expect: CU201 "2-way"
        if (a > b) {
            k[at] = b, k[at + stride] = a;  // also: CU201
            unsigned w = v[at];  // also: CU201
            v[at] = v[at + stride], v[at + stride] = w;  // also: CU201
        }
    }
    __syncthreads();
    out[t] = k[n + t], out[t + N / 2] = v[t];
}

void launch(unsigned *out, const unsigned *in, const unsigned *ends, int n)
{
    merged<<<n, N / 2>>>(out, in, ends);
}
