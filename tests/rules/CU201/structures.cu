// A block's structures: an index is that of a whole one, so that no other index parts their words.

struct cell {
    float now, left, next, right;
};

__global__ void relax(float *out, const float *in, int turns)
{
    __shared__ cell cells[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cells[t].now = in[i];  // also: CU201
    for (int turn = 0; turn < turns; ++turn) {
        __syncthreads();
        cells[t].next = 0.5f * cells[127 - t].now;  // expect: CU201 "store" "4-way"; CU201 "load" "4-way"
        __syncthreads();
        cells[t].now = cells[127 - t].next;  // also: CU201; CU201
    }
    out[i] = cells[t].now;
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, 512000);
    cudaMalloc(&in, 512000);
    relax<<<1000, 128>>>(out, in, 100);
}
