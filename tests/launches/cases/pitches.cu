// A pitch has room for rows of the widths that are invented beside it, and is aligned.
__global__ void rows(float *a, int pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) { a[y * pitch + x] = 0; }
}
void run(float *a, size_t byPitch, int width, int height) {
    dim3 grid(width / 32, height);
    rows<<<grid, 32>>>(a, byPitch / sizeof(float), width, height);  // tried: rows<<<(40, 1152), 32>>>(pitch=1408, width=1280, height=1152) | rows<<<(3, 160), 32>>>(pitch=896, width=96, height=160)
}
