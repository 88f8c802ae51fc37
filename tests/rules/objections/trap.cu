// The loop has shown enough before the trap; what runs to the end, for other rules, meets it.
__global__ void rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = 0.0f;  // refuted: CU101 (nothing wasted); CU105 (nothing wasted)
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];  // undecided: CU106 (broken run)  // refuted: CU109 (not reached)
    asm volatile("trap;");
}

void launch(float *out, const float *in) { rows<<<16, 256>>>(out, in, 256); }  // refuted: CU404 (nothing wasted)
