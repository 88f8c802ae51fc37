// A size that the code asks to be equal to something computed; shared bytes that nothing tells.
__global__ void plain(float *a, int n, int columns, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i * columns] += pitch;
}
struct Table { int rows, columns, pitch; };
void rows(float *a, Table t) {
    if (t.columns != t.pitch / 4) return;
    plain<<<t.rows / 32, 32>>>(a, t.rows, t.columns, t.pitch); // tried: plain<<<40, 32>>>(n=1280, columns=1408, pitch=5632) | plain<<<3, 32>>>(n=96, columns=896, pitch=3584)
}
__global__ void kept(float *a, int n) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[2 * threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x ^ 1] + n;
}
int bytes();
void keep(float *a, int n) {
    kept<<<n, 64, bytes()>>>(a, n); // tried: kept<<<1280, 64, 48128>>>(n=1280) | kept<<<96, 64, 48128>>>(n=96)
}
