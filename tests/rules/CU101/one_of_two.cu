// Data that only choose between two elements of the index's own leave the distance to the layout.
__global__ void streamed(float *out, const float *f, const unsigned char *wall, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int cell = y * width + x, from = y * width + (x ? x - 1 : width - 1);
    float v = wall[from] ? f[cell * 9 + 3] : f[from * 9 + 1];  // expect: CU101 "sectors per request where 4 would do"
    out[cell] = v;
}

// One of the two is packed: with other data all lanes take it.
__global__ void spread(float *out, const float *in, const int *is_record)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = is_record[i] ? i * 16 : i;
    out[i] = in[at];  // undecided: CU101 (loaded address)
}

// One of the two is a row that data choose.
__global__ void picked(float *out, const float *in, const int *row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = row[i];
    int at = other & 1 ? i * 16 : other;
    out[i] = in[at];  // undecided: CU101 (loaded address)
}

void launch(float *out, const float *f, const unsigned char *wall, const int *rows)
{
    streamed<<<dim3(32, 1024), 128>>>(out, f, wall, 4096);
    spread<<<4096, 256>>>(out, f, rows);
    picked<<<4096, 256>>>(out, f, rows);
}
