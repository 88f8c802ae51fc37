// Blocks that are halved turn by turn are powers of two; turns lie within what bounds them.
__global__ void halves(float *a, float *out) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void doubles(float *a, float *out) {
    extern __shared__ float s[];
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned int k = 1; k < blockDim.x; k *= 2) {
        if (threadIdx.x % (2 * k) == 0) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void plain(float *a) { a[2 * threadIdx.x] += 1; }
void run(float *a, float *b, int n) {
    halves<<<4, n / 2, 2 * n>>>(a, b); // tried: halves<<<4, 512, 2048>>>()
    doubles<<<4, n / 2, 2 * n>>>(a, b); // tried: doubles<<<4, 512, 2048>>>()
    plain<<<4, n / 2>>>(a); // tried: plain<<<4, 640>>>()
}
__global__ void turn(float *a, int s, int n) { a[threadIdx.x * s % n] += 1; }
__global__ void stage(float *a, int s, int n) { a[threadIdx.x * s % n] += 1; }
void up_to(float *a, int n) {
    for (int s = 1; s < n; s *= 2) {
        stage<<<8, n / 2>>>(a, s, n); // tried: stage<<<8, 512>>>(s=1, n=1024) ; stage<<<8, 512>>>(s=2, n=1024) ; stage<<<8, 512>>>(s=32, n=1024)
    }
}
void parts(float *a, int given, int most) {
    int n = given < most ? given : most;
    int count = n / 512;
    if (n % 512) count++;
    for (int part = 0; part < count; part++) {
        turn<<<8, 64>>>(a, part * 512, n); // tried: turn<<<8, 64>>>(s=0, n=1024) ; turn<<<8, 64>>>(s=512, n=1024) ; turn<<<8, 64>>>(s=2560, n=5120)
    }
}
