// Kernels of a library, of which one was launched once.

struct Cell {
    unsigned char bits[32];
};

__global__ void to_cells(Cell *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Cell cell = {};
        for (int k = 0; k < 32; k++)
            cell.bits[k] = in[i] > k;  // undecided: CU103 (hardly launched)
        out[i] = cell;  // undecided: CU104 (hardly launched) "nothing in this program launches"
    }
}

// Another file may launch what is never launched here.
__global__ void every_64th(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

void convert(Cell *out, const unsigned char *in, int n)
{
    // to_cells<<<(n + 255) / 256, 256>>>(out, in, n);
}
