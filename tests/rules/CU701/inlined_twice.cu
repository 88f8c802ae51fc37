// What a function does each time, at however many of its calls, and whether loops there are unrolled or not.
__device__ inline float potential(float4 a, float4 b)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    float squared = x * x + y * y + z * z + 1e-6f;
    return 0.25 / squared / sqrtf(squared);  // expect: CU701 "2 f64 instructions each time"
}

__global__ void potentials(float *out, const float4 *bodies, int n)
{
    __shared__ float4 tile[64];
    float4 me = bodies[blockIdx.x * 64 + threadIdx.x];
    float sum = 0.0f;
    for (int t = 0; t < n / 64; t++) {
        __syncthreads();
        tile[threadIdx.x] = bodies[t * 64 + threadIdx.x];
        __syncthreads();
#pragma unroll 64
        for (int j = 0; j < 64; j++)
            sum += potential(me, tile[j]);
    }
    __syncthreads();
    tile[threadIdx.x] = bodies[n / 64 * 64 + threadIdx.x];
    __syncthreads();
    for (int side = -1; side <= 1; side++)
        for (int j = 0; j < n % 64; j++) {
            float4 other = tile[j];
            other.x += side;
            sum += potential(me, other);
        }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

void launch(float *out, const float4 *bodies) { potentials<<<512, 64>>>(out, bodies, 197); }
