// Numbers of one launch fit together: shared memory that there is, counts of which something is left.

__global__ void staged(float *a, int n, int bytes) {
    extern __shared__ float part[];
    part[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x + n] = part[(threadIdx.x * 2) % (bytes / 4)];
}

__global__ void scaled(float *a, int planes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * planes + blockIdx.y] = 1;
}

void square(float *a, int n, int width) {
    int bytes = width * width * sizeof(float);
    staged<<<n / 128, 128, bytes>>>(a, n, bytes);  // tried: staged<<<10, 128, 65536>>>(n=1280, bytes=65536) | staged<<<48, 128, 102400>>>(n=6144, bytes=102400)
}

void rows(float *a, int n, int width) {
    staged<<<n / 128, 128, width * 128>>>(a, n, width * 128);  // tried: staged<<<10, 128, 147456>>>(n=1280, bytes=147456) | staged<<<48, 128, 20480>>>(n=6144, bytes=20480)
}

void quotients(float *a, int in_planes, int group, int n) {
    int planes = in_planes / group / 64;
    scaled<<<(n + 255) / 256, 256>>>(a, planes, n);  // tried: scaled<<<5, 256>>>(planes=4, n=1280) | scaled<<<1, 256>>>(planes=1, n=96)
}

void along_y(float *a, int batch, int channels, int n) {
    dim3 grid((n + 255) / 256, batch * channels);
    scaled<<<grid, 256>>>(a, channels, n);  // tried: scaled<<<(5, 45056), 256>>>(planes=1408, n=1280) | scaled<<<(1, 35840), 256>>>(planes=224, n=96)
}

void many_quotients(float *a, int parts, int n) {
    scaled<<<n / parts / 16, 64>>>(a, parts, n / parts / 1024);  // tried: scaled<<<284, 64>>>(planes=1152, n=4) | scaled<<<597, 64>>>(planes=24, n=9)
}
