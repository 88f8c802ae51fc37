// rules: CU102
// Structures that one access would move whole, were they aligned.
#include <cuda_runtime.h>

struct pair {
    float value, weight;
};

typedef struct
{
    int first;
    int last;
    int next;
    int owner;
} Range;

// what is left alone: a part of another structure, one that has an alignment, a pointer into the
// middle of an array
struct edge {
    int from, to;
};

struct marked_edge {
    int mark;
    edge of;
};

struct __align__(4) span_ {
    int begin, end;
};

struct inner {
    int low, high;
};

__global__ void weigh(float *out, const pair *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].value * in[i].weight;
}

__global__ void measure(int *out, const Range *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (in[i].last - in[i].first) * (in[i].next + in[i].owner);
}

__global__ void follow(int *out, const edge *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].from * 3 + in[i].to;
}

__global__ void length(int *out, const span_ *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].end - in[i].begin;
}

__global__ void between(int *out, const inner *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].high - in[i].low;
}

int main()
{
    float *a;
    int *b;
    pair *c;
    Range *d;
    edge *e;
    span_ *f;
    inner *g;
    cudaMalloc(&a, 16384 * sizeof(float));
    cudaMalloc(&b, 16384 * sizeof(int));
    cudaMalloc(&c, 16384 * sizeof(pair));
    cudaMalloc(&d, 16384 * sizeof(Range));
    cudaMalloc(&e, 16384 * sizeof(edge));
    cudaMalloc(&f, 16384 * sizeof(span_));
    cudaMalloc(&g, 16385 * sizeof(inner));
    weigh<<<64, 256>>>(a, c);
    measure<<<64, 256>>>(b, d);
    follow<<<64, 256>>>(b, e);
    length<<<64, 256>>>(b, f);
    between<<<64, 256>>>(b, (inner *)((char *)g + 4));
}
