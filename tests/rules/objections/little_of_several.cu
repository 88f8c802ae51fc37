// What is little of what all other kernels of a program take together is a note, too.
#include <cuda_runtime.h>

const int NX = 4096, NY = 1024, CELLS = NX * NY;

// Each of three that are launched in each turn takes 36,000 cycles or more to issue.
__global__ void smooth(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 48; k++)
        sum = sum * 0.5f + in[i + k * CELLS];
    out[i] = sum;
}

__global__ void damp(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1.0f;
    for (int k = 0; k < 48; k++)
        sum = sum * in[i + k * CELLS] + 0.25f;
    out[i] = sum;
}

__global__ void blend(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 48; k++)
        sum = fmaxf(sum, in[i + k * CELLS]) * 0.75f;
    out[i] = sum;
}

// One column of a grid: against any one of the others it might count.
__global__ void rim(float *grid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    grid[y * NX] = grid[y * NX + 1] + 0.5f;  // undecided: CU101 (little of its program) "2 more kernels do in this program"
}

int main()
{
    float *out, *in;
    cudaMalloc(&out, CELLS * sizeof(float));
    cudaMalloc(&in, 48L * CELLS * sizeof(float));
    for (int turn = 0; turn < 500; turn++) {
        smooth<<<CELLS / 256, 256>>>(out, in);
        damp<<<CELLS / 256, 256>>>(out, in);
        blend<<<CELLS / 256, 256>>>(out, in);
        rim<<<NY / 64, 64>>>(out);
    }
}
