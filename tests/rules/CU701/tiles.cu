// A run that is cut short in the loop over tiles has seen whole ones.
__global__ void forces(const float4 *bodies, float *out, int n)
{
    __shared__ float4 tile[256];
    float4 me = bodies[blockIdx.x * 256 + threadIdx.x];
    float sum = 0.0f;
    for (int t = 0; t < n; t += 256) {
        tile[threadIdx.x] = bodies[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float x = tile[j].x - me.x, y = tile[j].y - me.y, z = tile[j].z - me.z;
            float d = x * x + y * y + z * z + 0.01;  // expect: CU701 "`0.01`"
            sum += tile[j].w * rsqrtf(d);
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(const float4 *bodies, float *out) { forces<<<512, 256>>>(bodies, out, 131072); }
