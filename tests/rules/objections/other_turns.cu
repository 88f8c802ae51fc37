// One turn of the host's loop is bad, of many that are fine; or the other way round.
#include <cuda_runtime.h>

// Each fourth run of `1 << s` elements: for s = 0 neighbouring lanes are 16 bytes apart.
__global__ void fourths(float *out, const float *in, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (t >> s << (s + 2)) + (t & ((1 << s) - 1));
    out[t] = in[i];  // undecided: CU101 (fine with other values) "it is fine in most launches from the same place"
}

// Only the last turn, of one block, is fine.
__global__ void strided(float *out, const float *in, int s)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t * s];  // expect: CU101
}

// In the early steps of a sort both threads of a pair are in one warp; of all that follow in none.
__global__ void sort_step(int *data, int k, int j)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {  // undecided: CU901 (fine with other values) "it is fine in most launches from the same place"
        bool up = (i & k) == 0;
        if ((data[i] > data[other]) == up) {  // undecided: CU101 (fine with other values)
            int t = data[i];
            data[i] = data[other];
            data[other] = t;
        }
    }
}

// Every other thread, whatever the turn.
__global__ void every_other(float *data, float by, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (i % 2 == 0) {  // expect: CU901
        for (int k = 0; k < turns; k++)
            x = x * by + 1.0f;
    }
    data[i] = x;
}

void sort(int *data, int n)
{
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2)
            sort_step<<<(n + 255) / 256, 256>>>(data, k, j);
}

int main()
{
    const int n = 1 << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    for (int s = 0; s < 16; s++)
        fourths<<<n / 4 / 256, 256>>>(out, in, s);
    for (int s = 64; s > 0; s /= 4)
        strided<<<n / 64 / 256, 256>>>(out, in, s);
    for (int turns = 16; turns < 128; turns *= 2)
        every_other<<<n / 256, 256>>>(out, 1.5f, turns);
    sort((int *)in, n);
}
