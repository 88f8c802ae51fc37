// Launches into several streams run beside one another; one stream holds one at a time.
#include <cuda_runtime.h>

__global__ void spread(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

__global__ void alone(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

void launch(float *data, cudaStream_t *streams)
{
    for (int n = 0; n < 8; n++)
        spread<<<8, 256, 0, streams[n]>>>(data + n * 2048, 8000);  // undecided: CU404 (the rule's own) "others may run beside it"
    alone<<<8, 256, 0, streams[0]>>>(data, 8000);  // expect: CU404
}
