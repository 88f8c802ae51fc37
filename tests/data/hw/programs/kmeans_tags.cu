// Lloyd's k-means over dense feature vectors.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CALL(f) { cudaError_t r = f; if (r != cudaSuccess) { printf("%s: %s\n", #f, cudaGetErrorString(r)); return 1; } }

static const int DIM = 16;
static const int KMAX = 64;

__global__ void assign_points(const float* __restrict__ pts, const float* __restrict__ cent, int* __restrict__ label,
                              int* __restrict__ changed, int n, int k)
{
    __shared__ float sc[KMAX * DIM];
    for (int t = threadIdx.x; t < k * DIM; t += blockDim.x) sc[t] = cent[t];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = FLT_MAX;
    int arg = 0;
    for (int c = 0; c < k; ++c) {
        float d = 0.f;
        for (int j = 0; j < DIM; ++j) {
            float diff = pts[i * DIM + j] - sc[c * DIM + j];
            d += diff * diff;
        }
        if (d < best) { best = d; arg = c; }
    }
    if (label[i] != arg) {
        label[i] = arg;
        atomicOr(changed, 1);
    }
}

__global__ void accumulate(const float* __restrict__ pts, const int* __restrict__ label, float* __restrict__ sum, int* __restrict__ cnt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = label[i];
    atomicAdd(&cnt[c], 1);
    for (int j = 0; j < DIM; ++j)
        atomicAdd(&sum[c * DIM + j], pts[i * DIM + j]);
}

__global__ void divide_centroids(float* __restrict__ cent, const float* __restrict__ sum, const int* __restrict__ cnt, int k)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= k * DIM) return;
    int c = t / DIM;
    if (cnt[c] > 0) cent[t] = sum[t] / cnt[c];
}

__global__ void inertia(const float* __restrict__ pts, const float* __restrict__ cent, const int* __restrict__ label, double* __restrict__ out, int n)
{
    __shared__ double part[256];
    double acc = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4* p = reinterpret_cast<const float4*>(pts + (size_t)i * DIM);
        const float4* q = reinterpret_cast<const float4*>(cent + (size_t)label[i] * DIM);
        float d = 0.f;
        for (int j = 0; j < DIM / 4; ++j) {
            float4 a = p[j], b = q[j];
            d += (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z) + (a.w - b.w) * (a.w - b.w);
        }
        acc += d;
    }
    part[threadIdx.x] = acc;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        int idx = 2 * s * threadIdx.x;
        if (idx < blockDim.x) part[idx] += part[idx + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, part[0]);
}

__global__ void label_histogram(const int* __restrict__ label, int* __restrict__ hist, int n, int k)
{
    int c = threadIdx.x;
    if (c >= k) return;
    int s = 0;
    for (int i = 0; i < n; ++i)
        s += label[i] == c;
    hist[c] = s;
}

struct Args { int n = 131072, k = 64, iters = 10; };

static bool parse(int argc, char** argv, Args& a)
{
    struct { const char* name; int* dst; } table[] = {{"-n", &a.n}, {"-k", &a.k}, {"-i", &a.iters}};
    for (int i = 1; i < argc; i += 2) {
        bool hit = false;
        for (auto& t : table)
            if (i + 1 < argc && !strcmp(argv[i], t.name)) { *t.dst = atoi(argv[i + 1]); hit = true; }
        if (!hit) return false;
    }
    return a.k <= KMAX;
}

int main(int argc, char** argv)
{
    Args a;
    if (!parse(argc, argv, a)) { printf("usage: kmeans [-n points] [-k clusters<=64] [-i iters]\n"); return 2; }
    std::vector<float> pts((size_t)a.n * DIM);
    unsigned s = 4242;
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < DIM; ++j) {
            s = s * 1664525u + 1013904223u;
            pts[(size_t)i * DIM + j] = float(((i % a.k) * (j + 3) * 37) % 101) + float(s >> 8) / 16777216.f;
        }
    float *d_pts, *d_cent, *d_sum; int *d_label, *d_cnt, *d_changed; double* d_inertia;
    CUDA_CALL(cudaMalloc(&d_pts, pts.size() * sizeof(float)));
    CUDA_CALL(cudaMalloc(&d_cent, KMAX * DIM * sizeof(float)));
    CUDA_CALL(cudaMalloc(&d_sum, KMAX * DIM * sizeof(float)));
    CUDA_CALL(cudaMalloc(&d_label, a.n * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_cnt, KMAX * sizeof(int)));
    CUDA_CALL(cudaMallocManaged(&d_changed, sizeof(int)));
    CUDA_CALL(cudaMallocManaged(&d_inertia, sizeof(double)));
    CUDA_CALL(cudaMemcpy(d_pts, pts.data(), pts.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMemcpy(d_cent, pts.data(), a.k * DIM * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMemset(d_label, 0xff, a.n * sizeof(int)));
    const int tb = 256, nb = (a.n + tb - 1) / tb;
    int it = 0;
    for (; it < a.iters; ++it) {
        *d_changed = 0;
        assign_points<<<nb, tb>>>(d_pts, d_cent, d_label, d_changed, a.n, a.k);
        CUDA_CALL(cudaMemset(d_sum, 0, KMAX * DIM * sizeof(float)));
        CUDA_CALL(cudaMemset(d_cnt, 0, KMAX * sizeof(int)));
        accumulate<<<nb, tb>>>(d_pts, d_label, d_sum, d_cnt, a.n);
        divide_centroids<<<(a.k * DIM + 127) / 128, 128>>>(d_cent, d_sum, d_cnt, a.k);
        CUDA_CALL(cudaDeviceSynchronize());
        if (!*d_changed) break;
    }
    *d_inertia = 0;
    inertia<<<132, 256>>>(d_pts, d_cent, d_label, d_inertia, a.n);
    label_histogram<<<1, KMAX>>>(d_label, d_cnt, a.n, a.k);
    CUDA_CALL(cudaGetLastError());
    CUDA_CALL(cudaDeviceSynchronize());
    std::vector<int> cnt(a.k);
    CUDA_CALL(cudaMemcpy(cnt.data(), d_cnt, a.k * sizeof(int), cudaMemcpyDeviceToHost));
    long total = 0;
    for (int c : cnt) total += c;
    double per = *d_inertia / a.n;
    printf("iterations %d, inertia per point %.4f, counted %ld %s\n", it, per, total, total == a.n && per < 3.0 ? "OK" : "FAIL");
    cudaFree(d_pts); cudaFree(d_cent); cudaFree(d_sum); cudaFree(d_label); cudaFree(d_cnt); cudaFree(d_changed); cudaFree(d_inertia);
    return total == a.n ? 0 : 1;
}
