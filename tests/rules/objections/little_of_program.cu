// What is little of what a program's launches take is worth a note, whatever its kernel's name.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Launched once: the two thousand turns of the loop are what takes its time.
__global__ void spread(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (little of its program) "of what `relax` does in this program"
}

__global__ void squares(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[i] += pow(in[i + k], 2);  // undecided: CU704 (little of its program); CU106 (little of its program)  // expect: CU109
}

__global__ void shifted(double *out, const double *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + 2] = in[i];  // undecided: CU105 (little of its program)
}

__global__ void waits(float *out, const float *in)
{
    __shared__ float tile[256];
    for (int k = 0; k < 8; k++) {
        tile[threadIdx.x] = in[k * 256 + threadIdx.x];
        __syncthreads();  // undecided: CU902 (little of its program)
        __syncthreads();
        out[k * 256 + threadIdx.x] = tile[255 - threadIdx.x];
        __syncthreads();
    }
}

__global__ void bytes(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];  // also: CU101
}

__global__ void relax(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = sum * 0.5f + in[i + k * 16384];
    out[i] = sum;
}

// Launched in every five-hundredth turn alone.
__global__ void gauged(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (little of its program) "of what `relax` does in this program"
}

// ok: in every second turn
__global__ void often(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// ok: data say in which turns
__global__ void at_times(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// ok: it is launched in each turn, and moves as much as others do
__global__ void beside(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; k++)
        out[i + k * 16384] = in[i * 64 + k];  // expect: CU101
}

// ok: nobody knows how often, for nobody knows what `pick` is
__global__ void drawn(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// ok: once in a loop that nobody can count, around which nothing heavy is
__global__ void checked(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// ok: one thread of many waits for a long time
__global__ void alone(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i];  // also: CU404
    out[0] = sum;
}

static float *out, *in;

void draw() { drawn<<<64, 256>>>(out, in); }

void on_display(void (*what)());

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 2000;
    cudaMalloc(&out, 64 * 16384 * sizeof(float));
    cudaMalloc(&in, 64 * 16384 * sizeof(float));
    spread<<<64, 256>>>(out, in);
    squares<<<64, 256>>>(out, in, 8);
    shifted<<<64, 256>>>((double *)out, (double *)in);
    waits<<<1, 256>>>(out, in);
    bytes<<<dim3(8, 8), dim3(16, 16)>>>((unsigned char *)out, (unsigned char *)in, 128);  // undecided: CU401 (little of its program)
    alone<<<1, 1>>>(out, in, 16384 * 64);  // expect: CU404
    for (int i = 0; i < turns; i++) {
        relax<<<64, 256>>>(out, in, 64);
        beside<<<64, 256>>>(out, in);
        if (i % 500 == 0)
            gauged<<<64, 256>>>(out, in);
        if (i % 2 == 0)
            often<<<64, 256>>>(out, in);
        if (rand() % 500 == 0)
            at_times<<<64, 256>>>(out, in);
    }
    float error = 1.0f;
    while (error > 0.01f) {
        checked<<<64, 256>>>(out, in);
        cudaMemcpy(&error, out, sizeof(float), cudaMemcpyDeviceToHost);
    }
    on_display(draw);
}
