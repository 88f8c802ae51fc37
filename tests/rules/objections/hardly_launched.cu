// What a program comes to once, by its name to prepare what others do, or never, is worth a note.
#include <cuda_runtime.h>

__global__ void initSpread(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "launched once, and its name says"
}

__global__ void step(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

__global__ void again(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

__global__ void superseded(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "nothing in this program calls `run_old`"
}

// Whoever takes a function's address may call it, as often as he likes.
__global__ void drawn(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// Two launches one after the other may be a warm-up and what counts.
__global__ void twice(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// Of a kernel that fills two arrays the name tells.
__global__ void seedField(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "no loop launches it, and its name says"
}

// One launch may be all of the work, whatever else loops.
__global__ void whole(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// Objects are made out of sight, but its name tells.
__global__ void setupCells(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "no loop launches it, and its name says"
}

static float *out, *in;

struct Cells
{
    Cells() { setupCells<<<64, 256>>>(out, in); }
};

void begin() { initSpread<<<64, 256>>>(out, in); }

void run_old() { superseded<<<64, 256>>>(out, in); }

void draw() { drawn<<<64, 256>>>(out, in); }

void turn() { step<<<64, 256>>>(out, in); }

void on_display(void (*what)());

int main()
{
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 64 * 16384 * sizeof(float));
    begin();
    seedField<<<64, 256>>>(out, in);
    seedField<<<64, 256>>>(out, in);
    on_display(draw);
    whole<<<64, 256>>>(out, in);
    twice<<<64, 256>>>(out, in);
    twice<<<64, 256>>>(out, in);
    for (int i = 0; i < 50; i++) {
        turn();
        if (i % 2 == 0)
            again<<<64, 256>>>(out, in);
    }
}
