// Allele pile-up over aligned reads and simple variant calling.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>

#define CUDA(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s @%d\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

constexpr int READ_LEN = 100;

struct Read {
    int pos;
    int mapq;
    unsigned char base[READ_LEN];
    unsigned char qual[READ_LEN];
};

__constant__ float c_err[64];

__global__ void filter_reads(const Read* __restrict__ r, int* __restrict__ keep, int n, int min_mapq)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    keep[i] = r[i].mapq >= min_mapq;
}

__global__ void pileup(const Read* __restrict__ r, const int* __restrict__ keep, int* __restrict__ counts, int n, int len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !keep[i]) return;
    int p = r[i].pos;
    for (int k = 0; k < READ_LEN; ++k) {
        int b = r[i].base[k];
        if (r[i].qual[k] >= 10 && p + k < len)
            atomicAdd(&counts[(p + k) * 4 + b], 1);
    }
}

__global__ void likelihood(const int* __restrict__ counts, const unsigned char* __restrict__ ref, float* __restrict__ score, int len, int q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= len) return;
    int4 c = reinterpret_cast<const int4*>(counts)[i];
    int depth = c.x + c.y + c.z + c.w;
    int r = ref[i];
    int nref = r == 0 ? c.x : r == 1 ? c.y : r == 2 ? c.z : c.w;
    float e = c_err[q];
    float l0 = pow(1.0 - e, (double)nref) * pow((double)e, (double)(depth - nref));
    float l1 = powf(0.5f, (float)depth);
    score[i] = logf(l1 + 1e-30f) - logf(l0 + 1e-30f);
}

__global__ void call_sites(const float* __restrict__ score, int* __restrict__ out, int* __restrict__ n_out, int len, float cut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < len && score[i] > cut)
        out[atomicAdd(n_out, 1)] = i;
}

int main(int argc, char** argv)
{
    int len = 1 << 18, nreads = 65536, qual = 20;
    for (int i = 1; i < argc; ++i) {
        if (!strncmp(argv[i], "len=", 4)) len = atoi(argv[i] + 4);
        else if (!strncmp(argv[i], "reads=", 6)) nreads = atoi(argv[i] + 6);
    }
    unsigned s = 5;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return s >> 8; };
    std::vector<unsigned char> ref(len), donor;
    for (auto& b : ref) b = rnd() & 3;
    donor = ref;
    for (int i = 500; i < len; i += 1000) donor[i] = (donor[i] + 1) & 3;
    std::vector<Read> reads(nreads);
    for (int i = 0; i < nreads; ++i) {
        Read& r = reads[i];
        r.pos = int(rnd() % (unsigned)(len - READ_LEN));
        r.mapq = i % 16 == 0 ? 0 : 60;
        for (int k = 0; k < READ_LEN; ++k) {
            r.base[k] = donor[r.pos + k];
            r.qual[k] = (unsigned char)(8 + rnd() % 32);
        }
    }
    float err[64];
    for (int q = 0; q < 64; ++q) err[q] = powf(10.f, -q / 10.f);
    CUDA(cudaMemcpyToSymbol(c_err, err, sizeof err));
    Read* d_r; int *keep, *counts, *out, *n_out; unsigned char* d_ref; float* score;
    CUDA(cudaMalloc(&d_r, nreads * sizeof(Read)));
    CUDA(cudaMalloc(&keep, nreads * sizeof(int)));
    CUDA(cudaMalloc(&counts, (size_t)len * 4 * sizeof(int)));
    CUDA(cudaMalloc(&out, len * sizeof(int)));
    CUDA(cudaMallocManaged(&n_out, sizeof(int)));
    CUDA(cudaMalloc(&d_ref, len));
    CUDA(cudaMalloc(&score, len * sizeof(float)));
    CUDA(cudaMemset(counts, 0, (size_t)len * 4 * sizeof(int)));
    *n_out = 0;
    CUDA(cudaMemcpy(d_r, reads.data(), nreads * sizeof(Read), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_ref, ref.data(), len, cudaMemcpyHostToDevice));
    filter_reads<<<(nreads + 255) / 256, 256>>>(d_r, keep, nreads, 30);
    pileup<<<(nreads + 255) / 256, 256>>>(d_r, keep, counts, nreads, len);
    likelihood<<<(len + 255) / 256, 256>>>(counts, d_ref, score, len, qual);
    call_sites<<<(len + 255) / 256, 256>>>(score, out, n_out, len, 3.f);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    std::vector<int> sites(*n_out);
    CUDA(cudaMemcpy(sites.data(), out, sites.size() * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int p : sites) wrong += ref[p] == donor[p];
    printf("%d sites called, %d false, %d planted %s\n", *n_out, wrong, (len - 500 + 999) / 1000, wrong == 0 && *n_out > 0 ? "OK" : "FAIL");
    for (void* p : {(void*)d_r, (void*)keep, (void*)counts, (void*)out, (void*)n_out, (void*)d_ref, (void*)score}) cudaFree(p);
    return wrong == 0 ? 0 : 1;
}
