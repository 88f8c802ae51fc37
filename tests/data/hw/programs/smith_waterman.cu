// Local alignment scores of many short reads against one reference window
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define READ_LEN 100
#define MAX_REF 512
#define GAP 2

struct Penalties {
  int match;
  int mismatch;
};

__constant__ signed char cRef[MAX_REF];
__constant__ Penalties cPen;

// one read per thread, one DP row kept per thread
__global__ void alignThread(const char *reads, int *best, const int *sub, int refLen, int numReads)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= numReads) return;
    short row[MAX_REF + 1];
    for (int j = 0; j <= refLen; j++) row[j] = 0;
    int top = 0;
    for (int i = 0; i < READ_LEN; i++) {
        char c = reads[r * READ_LEN + i];
        int diag = 0, left = 0;
        for (int j = 1; j <= refLen; j++) {
            int s = diag + sub[c * 4 + cRef[j - 1]];
            diag = row[j];
            int v = max(max(s, 0), max(diag, left) - GAP);
            row[j] = v;
            left = v;
            top = max(top, v);
        }
    }
    best[r] = top;
}

// one read per block, anti-diagonal wavefront in shared memory
__global__ void alignWave(const char *__restrict__ reads, int *__restrict__ best, int refLen)
{
    __shared__ int d0[READ_LEN + 1], d1[READ_LEN + 1], d2[READ_LEN + 1];
    __shared__ char q[READ_LEN];
    int *pp = d0, *p = d1, *cur = d2;
    int t = threadIdx.x;
    if (t < READ_LEN) q[t] = reads[(size_t)blockIdx.x * READ_LEN + t];
    for (int i = t; i <= READ_LEN; i += blockDim.x) pp[i] = p[i] = cur[i] = 0;
    __syncthreads();
    int top = 0;
    for (int k = 0; k < refLen + READ_LEN - 1; k++) {
        int i = t + 1;
        int j = k - t;
        if (t < READ_LEN && j >= 0 && j < refLen) {
            int m = q[t] == cRef[j] ? cPen.match : cPen.mismatch;
            int v = max(max(pp[i - 1] + m, 0), max(p[i - 1], p[i]) - GAP);
            cur[i] = v;
            top = max(top, v);
        }
        __syncthreads();
        int *x = pp; pp = p; p = cur; cur = x;
    }
    for (int o = 16; o > 0; o >>= 1) top = max(top, __shfl_xor_sync(0xffffffff, top, o));
    if ((t & 31) == 0) atomicMax(&best[blockIdx.x], top);
}

static int hostAlign(const char *q, const std::vector<signed char> &ref, Penalties p)
{
    std::vector<int> row(ref.size() + 1, 0);
    int top = 0;
    for (int i = 0; i < READ_LEN; i++) {
        int diag = 0, left = 0;
        for (size_t j = 1; j <= ref.size(); j++) {
            int s = diag + (q[i] == ref[j - 1] ? p.match : p.mismatch);
            diag = row[j];
            int v = std::max(std::max(s, 0), std::max(diag, left) - GAP);
            row[j] = left = v;
            top = std::max(top, v);
        }
    }
    return top;
}

int main(int argc, char **argv)
{
    int numReads = argc > 1 ? atoi(argv[1]) : 65536;
    int refLen = argc > 2 ? std::min(atoi(argv[2]), MAX_REF) : 500;
    int reps = argc > 3 ? atoi(argv[3]) : 5;
    Penalties pen = {3, -2};
    std::vector<signed char> ref(refLen);
    std::vector<char> reads((size_t)numReads * READ_LEN);
    srand(5);
    for (auto &c : ref) c = rand() & 3;
    for (int r = 0; r < numReads; r++) {
        int start = rand() % std::max(1, refLen - READ_LEN);
        for (int i = 0; i < READ_LEN; i++)
            reads[(size_t)r * READ_LEN + i] = rand() % 10 ? ref[(start + i) % refLen] : rand() & 3;
    }
    int sub[16];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sub[a * 4 + b] = a == b ? pen.match : pen.mismatch;

    char *dReads; int *dBest, *dSub;
    cudaMalloc(&dReads, reads.size());
    cudaMalloc(&dBest, numReads * sizeof(int));
    cudaMalloc(&dSub, sizeof(sub));
    cudaMemcpy(dReads, reads.data(), reads.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dSub, sub, sizeof(sub), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(cRef, ref.data(), refLen);
    cudaMemcpyToSymbol(cPen, &pen, sizeof(pen));

    std::vector<int> got(numReads);
    const char *names[] = {"thread", "wave"};
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    for (int v = 0; v < 2; v++) {
        cudaMemset(dBest, 0, numReads * sizeof(int));
        cudaEventRecord(e0);
        for (int k = 0; k < reps; k++) {
            if (v == 0)
                alignThread<<<(numReads + 63) / 64, 64>>>(dReads, dBest, dSub, refLen, numReads);
            else
                alignWave<<<numReads, 128>>>(dReads, dBest, refLen);
        }
        cudaEventRecord(e1);
        cudaEventSynchronize(e1);
        float ms;
        cudaEventElapsedTime(&ms, e0, e1);
        cudaMemcpy(got.data(), dBest, numReads * sizeof(int), cudaMemcpyDeviceToHost);
        int bad = 0;
        for (int r = 0; r < numReads; r += 501) bad += got[r] != hostAlign(&reads[(size_t)r * READ_LEN], ref, pen);
        printf("%s: %s %.3f ms, %.2f GCUPS\n", names[v], bad ? "FAIL" : "PASS", ms / reps,
               (double)numReads * READ_LEN * refLen / (ms / reps) / 1e6);
    }
    return 0;
}
