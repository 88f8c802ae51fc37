// Only the host knows how far apart the rows are.
__constant__ int pitch;

struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void rows(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * pitch];  // undecided: CU101 (unknown constants)
}

__global__ void pairs(float *out, const float *in)
{
    const float *row = in + threadIdx.y * pitch;
    out[threadIdx.y * 16 + threadIdx.x] = row[2 * threadIdx.x] * row[2 * threadIdx.x + 1];  // undecided: CU102 (unknown constants)
}

__global__ void bytes(unsigned char *out, const unsigned char *in)
{
    out[threadIdx.y * 16 + threadIdx.x] = 255 - in[threadIdx.y * pitch + threadIdx.x];  // undecided: CU101 (unknown constants)
}

__global__ void bodies(float *out, const Body *all)
{
    const Body *own = all + threadIdx.y * pitch + threadIdx.x;
    out[threadIdx.y * 16 + threadIdx.x] = own->mass * own->charge + own->x;  // undecided: CU104 (unknown constants)
}

__global__ void shifted(float *out, const float *in)
{
    out[threadIdx.y * 16 + threadIdx.x] = in[threadIdx.y * pitch + threadIdx.x + 3];
}

__global__ void tile(float *out, const float *in)
{
    __shared__ float tile[4096];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x * pitch) & 4095];  // undecided: CU201 (unknown constants)
}

void launch(float *out, const float *in, unsigned char *b, const unsigned char *c, const Body *all)
{
    rows<<<64, 256>>>(out, in);
    pairs<<<1, dim3(16, 16)>>>(out, in);  // refuted: CU401 (nothing to report)
    bytes<<<1, dim3(16, 16)>>>(b, c);
    bodies<<<1, dim3(16, 16)>>>(out, all);
    shifted<<<1, dim3(16, 16)>>>(out, in);
    tile<<<1, 256>>>(out, in);
}
