// Points of three floats that a block copies to shared memory go there as plain words.
__global__ void nearest(float *least, const float *points)
{
    __shared__ float own[128 * 3];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    own[t * 3 + 0] = points[i * 3 + 0];  // expect: CU102 "copies an element of `points` to shared memory on its own"
    own[t * 3 + 1] = points[i * 3 + 1];
    own[t * 3 + 2] = points[i * 3 + 2];
    __syncthreads();
    float most = 1e30f;
    for (int k = 0; k < 2; k++)
        most = fminf(most, own[k * 3] + own[k * 3 + 1] * own[t * 3 + 2]);
    least[i] = most;
}

// What stays in registers: the copy is still to be written.
__global__ void lengths(float *out, const float *points)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = points[i * 3], y = points[i * 3 + 1], z = points[i * 3 + 2];  // expect: CU102 "no vector has 12 bytes"
    out[i] = x * x + y * y + z * z;
}

void launch(float *out, const float *points)
{
    nearest<<<4096, 128>>>(out, points);
    lengths<<<4096, 256>>>(out, points);
}
