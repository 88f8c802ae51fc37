// Atomics move sectors, too: those of different counters are best neighbours.
__global__ void padded(int *counts, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[i * 8], in[i]);  // expect: CU101 "atomic on `counts`" "32 sectors" "without padding"  // refuted: CU108 (nothing wasted)
}

// Here what lies between is used as well.
__global__ void points(float *sums, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    atomicAdd(&sums[3 * i], x);  // expect: CU101 "12 sectors" "an array for each of the 3 parts"  // refuted: CU108 (nothing wasted)
    atomicAdd(&sums[3 * i + 1], 2 * x);  // also: CU101  // refuted: CU108 (nothing wasted)
    atomicAdd(&sums[3 * i + 2], 3 * x);  // also: CU101  // refuted: CU108 (nothing wasted)
}

__global__ void rows(float *sums, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        atomicAdd(&sums[x * h + y], in[y * w + x]);  // expect: CU101 "make threadIdx.x the fastest"
}

__global__ void scatter(int *cells, const int *cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&cells[cell[i] * 16], 1);  // expect: CU101 "copy of `cells` in shared memory"  // undecided: CU108 (invented data decides)
}

__global__ void histogram(int *counts, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&counts[in[i] & 0xffff], 1);  // undecided: CU101 (fine with other values) "fine with integers 64"; CU108 (invented data decides)
}

__global__ void packed(int *counts, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[i], in[i]);  // ok
}

__global__ void one_counter(int *count, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 3)
        atomicAdd(count, 1);  // ok: one sector, which CU108 has a word on  // undecided: CU108 (the rule's own)
}

void launch(int *a, int *b, float *c, float *d)
{
    padded<<<64, 256>>>(a, b);
    points<<<64, 256>>>(c, d);
    rows<<<dim3(32, 128), dim3(32, 8)>>>(c, d, 1024, 1024);
    scatter<<<64, 256>>>(a, b, 16384);
    histogram<<<64, 256>>>(a, b, 16384);
    packed<<<64, 256>>>(a, b);
    one_counter<<<64, 256>>>(a, b);
}
