// Launches of fewer threads than a warp has: how they access memory is the least of it.
struct Body { float mass[12]; };

__global__ void columns(float *out, const float *in, int count)
{
    float sum = 0;
    for (int k = 0; k < count; k++) sum += in[threadIdx.x * 72 + k];  // undecided: CU101 (tiny launch) "has 24 threads"
    out[threadIdx.x] = sum;
}

__global__ void pairs(float *out, const float *in, int blocks)
{
    float x = 0, y = 0;
    for (int b = 0; b < blocks; b++) {
        x += in[b * 48 + 2 * threadIdx.x];  // undecided: CU102 (tiny launch)
        y += in[b * 48 + 2 * threadIdx.x + 1];
    }
    out[threadIdx.x] = x * y;
}

__global__ void masses(float *out, const Body *bodies)
{
    out[threadIdx.x] = bodies[threadIdx.x].mass[3] + bodies[threadIdx.x].mass[9];  // undecided: CU104 (tiny launch)
}

// Nor is what a few threads compute.
__global__ void means(double *out, const double *sums, int count)
{
    for (int k = 0; k < 9; k++)
        out[threadIdx.x * 9 + k] = sums[k] / count;  // undecided: CU702 (tiny launch) "has 1 thread,"; CU501 (invented data decides)
}

__global__ void means_of_a_warp(double *out, const double *sums, int count)
{
    for (int k = 0; k < 9; k++)
        out[k * 32 + threadIdx.x] = sums[k] / count;  // expect: CU702 // undecided: CU501 (invented data decides)
}

// One warp waits for its bank conflicts, too.
__global__ void banks(float *out, const float *in)
{
    __shared__ float tile[24 * 32];
    tile[threadIdx.x * 32] = in[threadIdx.x];  // expect: CU201
    __syncthreads();
    out[threadIdx.x] = tile[(23 - threadIdx.x) * 32];  // also: CU201
}

// As many threads as a warp has are told.
__global__ void warp(float *out, const float *in, int count)
{
    float sum = 0;
    for (int k = 0; k < count; k++) sum += in[threadIdx.x * 72 + k];  // expect: CU101
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in, const Body *bodies, double *sums, int count)
{
    columns<<<1, 24>>>(out, in, 72);
    pairs<<<1, 24>>>(out, in, 72);
    masses<<<1, 24>>>(out, bodies);
    means<<<1, 1>>>(sums, sums, count);
    means_of_a_warp<<<1, 32>>>(sums, sums, count);
    banks<<<1, 24>>>(out, in);
    warp<<<1, 32>>>(out, in, 72);
}
