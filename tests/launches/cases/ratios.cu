// An extent that is a ratio of lengths is as many as a grid has: lengths alike would make it 2.
__global__ void fill(float *a, unsigned n, float step) {
    unsigned x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < n && y < n) a[y * n + x] = x * step;
}

void grid(float *a, float length, float step) {
    unsigned n = round(length / step) + 1, blocks = (n + 7) / 8;
    fill<<<dim3(blocks, blocks), dim3(8, 8)>>>(a, n, step); // tried: fill<<<(7, 7), (8, 8)>>>(n=56, step=1.75)
}

// A size among its roots is what is made larger, if anything is; the length stays.
void grid_of(float *a, float length, int count, float step) {
    unsigned n = round(count * step), blocks = (n + 7) / 8;
    fill<<<dim3(blocks, blocks), dim3(8, 8)>>>(a, n, length); // tried: fill<<<(240, 240), (8, 8)>>>(n=1920, step=1.75) | fill<<<(18, 18), (8, 8)>>>(n=144, step=1.75)
}
