// What leaves its walk adds to a common sum: each lane once, beside what each turn adds elsewhere.
__global__ void flights(float *lost, float *out, int *visits, const float *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0.0f;
    for (int k = 0; k < n; k++) {
        x += step[k * 65536 + i];
        atomicAdd(&visits[k * 65536 + i], 1);
        if (x > 1.0f) {
            atomicAdd(lost, x);  // undecided: CU108 (invented data decides) "leaves a loop"
            break;
        }
    }
    out[i] = x;
}

// A probe that ends with its only sum: each thread adds to it, whichever turn it does so in.
__global__ void probes(float *sum, const float *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0.0f;
    for (int k = 0; k < n; k++) {
        x += step[k * 65536 + i];
        if (x > 1.0f) {
            atomicAdd(sum, x);  // expect: CU108
            return;
        }
    }
}

// What all lanes add behind their walk they add together.
__global__ void walks(float *sum, const float *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0.0f;
    for (int k = 0; k < n; k++) {
        x += step[k * 65536 + i];
        if (x > 1.0f)
            break;
    }
    atomicAdd(sum, x);  // expect: CU108
}

void launch(float *lost, float *out, int *visits, const float *step)
{
    flights<<<256, 256>>>(lost, out, visits, step, 4);
    probes<<<256, 256>>>(lost, step, 4);
    walks<<<256, 256>>>(lost, step, 4);
}
