// The same rule, and another remedy for each way to scatter a warp.
struct Particle {
    float x, y, z, mass;
};

__global__ void fields(float *out, const Particle *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].mass;  // expect: CU101 "16 sectors" "one array per field"
}

__global__ void walk(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += in[i * n + j];  // expect: CU101 "32 sectors" "walks along a row of `in` alone"
    out[i] = sum;
}

__global__ void narrow(float *out, const float *in, int pitch)
{
    int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * 4 + x] = in[y * pitch + x];  // expect: CU101 "8 sectors" "8 short rows of `in`"
}

__global__ void upright(float *out, const float *in, int pitch)
{
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y] = in[y * pitch + blockIdx.x];  // expect: CU101 "32 sectors" "lay them along threadIdx.x"
}

void launch(float *out, const float *in, const Particle *particles)
{
    fields<<<64, 256>>>(out, particles);
    walk<<<64, 256>>>(out, in, 512);
    narrow<<<dim3(1, 16), dim3(4, 64)>>>(out, in, 1024);  // refuted: CU402 (nothing to report)
    upright<<<dim3(64, 4), dim3(1, 256)>>>(out, in, 1024);
}
