// A function's defaults stand where a header declares it, not where it is defined.
void cut(dim3 &blocks, dim3 &threads, const unsigned int &length, const unsigned int &most = 27);
int rows_of(int length, int rows = 12);

__global__ void cubed(float *a, int length) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < length && y < length && z < length) a[(z * length + y) * length + x] += 1;
}
__global__ void lined(float *a, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) a[i] += 1;
}

void cut(dim3 &blocks, dim3 &threads, const unsigned int &length, const unsigned int &most) {
    unsigned int side = (unsigned int)cbrt(most);
    threads = dim3(side, side, side);
    blocks = dim3(length / side, length / side, length / side);
}
int rows_of(int length, int rows) { return length / rows; }

void divide(float *a) {
    dim3 blocks, threads;
    cut(blocks, threads, 60);
    cubed<<<blocks, threads>>>(a, 60); // tried: cubed<<<(20, 20, 20), (3, 3, 3)>>>(length=60)
    lined<<<1, 64>>>(a, rows_of(600)); // tried: lined<<<1, 64>>>(rows=50)
}
