// Accesses that no data and sizes tried reach: inputs are made for them alone.
#include <cstdlib>

__global__ void chosen(const int *mask, const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mask[i] == 77777)
        out[i] = a[32 * i];  // expect: CU101 "32 sectors" note: "reached with mask[…] = 77777"
}

__global__ void behind_two(const int *mask, const int *other, const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int m = mask[i];
    if (m * 3 == 30003)
        if ((other[i] ^ m) == 12)
            out[i] = a[32 * i];  // expect: CU101 "32 sectors" note: "mask[…] = 10001, other[…] = 10013"
}

__global__ void of_the_size(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && n % 7 == 3 && (n & 15) == 9)
        out[i] = a[32 * i];  // expect: CU101 "32 sectors" note: "reached with n = 1,"
}

__global__ void never(const unsigned *mask, const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (mask[i] & 12) == 3)
        out[i] = a[n * i];  // ok: for no mask
}

// What is chosen says nothing of the indices.
__global__ void gathers(const int *mask, const int *index, const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mask[i] == 77777)
        out[i] = a[index[i]];  // undecided: CU101 (loaded address)
}

struct Node { int feature; int leaf; };

// One field of a record is an index, the other ends the walk where it is not below zero.
__global__ void descends(const Node *nodes, const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = 0;
    float sum = 0.0f;
    while (nodes[k].leaf < 0) {  // undecided: CU501 (a small share)
        sum += a[32 * i + nodes[k].feature];  // expect: CU101 "32 sectors" note: "nodes[…] = -"
        k++;
    }
    if (i < n)
        out[i] = sum;
}

// How often it is reached, nobody knows.
__global__ void adds(const int *mask, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mask[i] == 77777)
        atomicAdd(&bins[0], 3);  // ok: a count
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    int *mask, *other, *bins;
    Node *nodes;
    float *a, *out;
    cudaMalloc(&mask, n * sizeof(int));
    cudaMalloc(&other, n * sizeof(int));
    cudaMalloc(&bins, 64 * sizeof(int));
    cudaMalloc(&a, 32 * n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    chosen<<<(n + 255) / 256, 256>>>(mask, a, out, n);
    behind_two<<<(n + 255) / 256, 256>>>(mask, other, a, out, n);
    of_the_size<<<(n + 255) / 256, 256>>>(a, out, n);
    never<<<(n + 255) / 256, 256>>>((unsigned *)mask, a, out, n);
    cudaMalloc(&nodes, 1024 * sizeof(Node));
    descends<<<(n + 255) / 256, 256>>>(nodes, a, out, n);
    gathers<<<(n + 255) / 256, 256>>>(mask, other, a, out, n);
    adds<<<(n + 255) / 256, 256>>>(mask, bins, n);
}
