// Beside loops whose turns are no data: what a function of the compiler's takes, and a reduction's.
struct Particle {
    float x, y, vx, vy, mass, charge, age;
};

// `fmodf` turns until the remainder is found
__global__ void wrapped(Particle *p, float dt, float width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x = fmodf(p[i].x + p[i].vx * dt + width, width);  // expect: CU104
}

// seven steps for a block of 128 threads, whatever the launch
__global__ void residual(float *out, const Particle *p, int n)
{
    extern __shared__ float part[];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    part[tid] = i < n ? fabsf(p[i].vx - p[i].vy) : 0.0f;  // expect: CU104
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            part[tid] += part[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = part[0];
}

// as many levels as an argument says that nothing gives
__global__ void refined(float *out, const Particle *p, int levels, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = p[i].x * p[i].charge;  // undecided: CU104 (invented data decides) "trip counts"
    for (int s = 1; s < levels; s <<= 1)
        x = x * x + out[(size_t)s * 65536 + i];
    out[i] = x;
}

void launch(float *out, Particle *p, float dt, float width, int n, int levels)
{
    wrapped<<<(n + 127) / 128, 128>>>(p, dt, width, n);
    residual<<<(n + 127) / 128, 128, 512>>>(out, p, n);
    refined<<<(n + 127) / 128, 128>>>(out, p, levels, n);
}
