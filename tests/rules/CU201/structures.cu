// Structures in shared memory: a gap behind each gives neighbouring lanes different banks.
struct Body {
    float x, y, z, mass;
};

__global__ void forces(float *out, const Body *bodies, int n)
{
    __shared__ Body tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 128) {
        tile[threadIdx.x] = bodies[k + threadIdx.x];  // expect: CU102; CU201 "4-way" "a gap"
        __syncthreads();
        sum += tile[127 - threadIdx.x].x * tile[threadIdx.x].mass;  // also: CU201
        __syncthreads();
    }
    out[i] = sum;
}

// Through a pointer the elements would be where they were.
__global__ void by_pointer(float *out, const Body *bodies, int n)
{
    __shared__ Body tile[128];
    const Body *mine = tile + threadIdx.x;
    int i = blockIdx.x * 128 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 128) {
        tile[127 - threadIdx.x] = bodies[k + threadIdx.x];  // expect: CU102; CU201 "4-way"
        __syncthreads();
        sum += mine->x * mine->mass;  // expect: CU201 "4-way"
        __syncthreads();
    }
    out[i] = sum;
}

void launch(float *out, const Body *in)
{
    forces<<<64, 128>>>(out, in, 8192);
    by_pointer<<<64, 128>>>(out, in, 8192);
}
