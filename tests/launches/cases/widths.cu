// What subtracting computes is a width or a step: it is not below zero where other values can help.
__global__ void boxes(const float *at, int *box, float high, float width, float back, int cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) box[i] = min(cells - 1, (int)((high - at[i]) / width)) + (int)back;
}

void place(const float *at, int *box, float lowest, float highest, float pull, int n, int cells) {
    float width = (highest - lowest) / cells;
    boxes<<<(n + 127) / 128, 128>>>(at, box, highest, width, 1.0f - pull, cells, n); // tried: boxes<<<10, 128>>>(high=96.0, width=0.08181424, back=0.96875, cells=1152, n=1280) | boxes<<<1, 128>>>(high=96.0, width=0.5890625, back=0.96875, cells=160, n=96)
}

// So are the members of a struct that are computed so.
struct Bounds { int low, nx, ny, nz; };
__global__ void voxels(int n, const int *at, Bounds b, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = at[i] - b.low + b.nx * (at[i] + b.ny * b.nz);
}

void sort(int n, const int *at, int *out, int x0, int x1, int y0, int y1, int z0, int z1) {
    Bounds b;
    b.low = x0 - 1;
    b.nx = x1 - x0 + 3;
    b.ny = y1 - y0 + 3;
    b.nz = z1 - z0 + 3;
    voxels<<<(n + 255) / 256, 256>>>(n, at, b, out);  // tried: voxels<<<5, 256>>>(n=1280) | voxels<<<1, 256>>>(n=96)
    // passed: b.nx=259, b.ny=55811, b.nz=39299
}
