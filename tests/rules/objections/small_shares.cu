// Once, beside a loop that moves far more.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void conflict(float *out, const float *in, int n)
{
    __shared__ float tile[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        tile[threadIdx.x] = in[k * 16384 + i];
        __syncthreads();  // refuted: CU902 (nothing to report)
        sum += tile[threadIdx.x ^ 1];  // refuted: CU602 (nothing to report)
        __syncthreads();
    }
    out[i] = sum + tile[(threadIdx.x * 2) & 255];  // undecided: CU201 (a small share)
}

__global__ void bodies(float *out, const Body *all, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = all[i].mass * all[i].charge + all[i].x;  // undecided: CU104 (a small share)
    for (int k = 0; k < n; k++)
        sum += in[k * 16384 + i];
    out[i] = sum;
}

void launch(float *out, const float *in, const Body *all)
{
    conflict<<<64, 256>>>(out, in, 100);
    bodies<<<64, 256>>>(out, all, in, 1000);
}
