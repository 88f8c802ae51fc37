// Blocks at a bound that the host code excludes, and kernels that a switch chooses by the block.
#include <algorithm>
#include <cassert>

template <int Threads>
__global__ void rows(float *a, int n) {
    if (threadIdx.x < n) a[blockIdx.x * n + threadIdx.x] = Threads;
}

void excluded(float *a, int count, int n) {
    assert(n < 1024);
    int threads = std::min(n, 1024);
    rows<0><<<count, threads>>>(a, n);  // tried: rows<0><<<1280, 576>>>(n=576)
}

void switched(float *a, int count, int n) {
    dim3 block((n + 31) / 32 * 32);
    switch (block.x) {
    case (64):
        rows<64><<<count, block>>>(a, n);  // tried: rows<64><<<1280, 64>>>(n=64) | rows<64><<<96, 64>>>(n=64)
        break;
    case (128):
        rows<128><<<count, block>>>(a, n);  // tried: rows<128><<<1280, 128>>>(n=128) | rows<128><<<96, 128>>>(n=128)
        break;
    }
}

int rounded(int n) { int p = 1; while (p < n) p *= 2; return p; }

void pinned(float *a, int count, int n) {
    int threads = rounded(n);
    switch (threads) {
    case 32:
        rows<32><<<count, threads>>>(a, n);  // tried: rows<32><<<1280, 32>>>(n=32) | rows<32><<<96, 32>>>(n=32)
        break;
    case 256:
        rows<256><<<count, threads>>>(a, n);  // tried: rows<256><<<1280, 256>>>(n=256) | rows<256><<<96, 256>>>(n=160)
        break;
    }
}
