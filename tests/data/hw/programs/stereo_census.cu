// Census-transform stereo matching with winner-take-all disparity, left-right check and median clean-up.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <functional>

#define SAFE(x) safe((x), __FILE__, __LINE__)
template <typename E> void safe(E e, const char* f, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e)); exit(1); }
}

constexpr int MAXD = 64;

__global__ void census9x7(const uint8_t* __restrict__ img, uint64_t* __restrict__ out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uint8_t c = img[y * w + x];
    uint64_t bits = 0;
    for (int dy = -3; dy <= 3; ++dy)
        for (int dx = -4; dx <= 4; ++dx) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            bits = (bits << 1) | (img[yy * w + xx] < c);
        }
    out[y * w + x] = bits;
}

__global__ void match_cost(const uint64_t* __restrict__ L, const uint64_t* __restrict__ R, uint8_t* __restrict__ cost, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    uint64_t a = L[y * w + x];
    for (int d = 0; d < MAXD; ++d) {
        int xr = max(x - d, 0);
        cost[(size_t)(y * w + x) * MAXD + d] = (uint8_t)__popcll(a ^ R[y * w + xr]);
    }
}

__global__ void aggregate_rows(const uint8_t* __restrict__ cost, uint16_t* __restrict__ agg, int w, int h)
{
    int d = threadIdx.x;
    int x = blockIdx.x * blockDim.y + threadIdx.y;
    int y = blockIdx.y;
    if (x >= w) return;
    unsigned s = 0;
    for (int k = -4; k <= 4; ++k) {
        int xx = min(max(x + k, 0), w - 1);
        s += cost[(size_t)(y * w + xx) * MAXD + d];
    }
    agg[(size_t)(y * w + x) * MAXD + d] = (uint16_t)s;
}

__global__ void winner(const uint16_t* __restrict__ agg, uint8_t* __restrict__ disp, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    const uint16_t* a = agg + (size_t)(y * w + x) * MAXD;
    unsigned best = 0xffffu;
    int arg = 0;
    for (int d = 0; d < MAXD; ++d)
        if (a[d] < best) { best = a[d]; arg = d; }
    disp[y * w + x] = (uint8_t)arg;
}

__global__ void median5(const uint8_t* __restrict__ in, uint8_t* __restrict__ out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uint8_t v[25];
    int n = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            v[n++] = in[yy * w + xx];
        }
    for (int i = 1; i < 25; ++i) {
        uint8_t key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) {
            v[j + 1] = v[j];
            --j;
        }
        v[j + 1] = key;
    }
    out[y * w + x] = v[12];
}

__global__ void disparity_hist(const uint8_t* __restrict__ disp, int* __restrict__ hist, int n)
{
    __shared__ int sh[8][MAXD];
    for (int t = threadIdx.x; t < 8 * MAXD; t += blockDim.x) (&sh[0][0])[t] = 0;
    __syncthreads();
    int wid = threadIdx.x >> 5;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sh[wid][disp[i]], 1);
    __syncthreads();
    for (int d = threadIdx.x; d < MAXD; d += blockDim.x) {
        int s = 0;
        for (int k = 0; k < 8; ++k) s += sh[k][d];
        if (s) atomicAdd(&hist[d], s);
    }
}

int main(int argc, char** argv)
{
    int w = argc > 1 ? std::stoi(argv[1]) : 640;
    int h = argc > 2 ? std::stoi(argv[2]) : 480;
    const int n = w * h;
    std::vector<uint8_t> left(n), right(n);
    std::vector<int> truth(n);
    std::function<uint8_t(int, int)> tex = [](int x, int y) {
        uint32_t v = uint32_t(x) * 374761393u + uint32_t(y) * 668265263u;
        v = (v ^ (v >> 13)) * 1274126177u;
        return uint8_t((v ^ (v >> 16)) & 255);
    };
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int d = y < h / 3 ? 10 : (y < 2 * h / 3 ? 24 : 41);
            truth[y * w + x] = d;
            left[y * w + x] = tex(x, y);
            right[y * w + x] = tex(x + d, y);
        }
    uint8_t *d_l, *d_r, *cost, *disp, *clean; uint64_t *cl, *cr; uint16_t* agg; int* hist;
    SAFE(cudaMalloc(&d_l, n)); SAFE(cudaMalloc(&d_r, n));
    SAFE(cudaMalloc(&disp, n)); SAFE(cudaMalloc(&clean, n));
    SAFE(cudaMalloc(&cl, n * sizeof(uint64_t))); SAFE(cudaMalloc(&cr, n * sizeof(uint64_t)));
    SAFE(cudaMalloc(&cost, (size_t)n * MAXD)); SAFE(cudaMalloc(&agg, (size_t)n * MAXD * 2));
    SAFE(cudaMalloc(&hist, MAXD * sizeof(int)));
    SAFE(cudaMemset(hist, 0, MAXD * sizeof(int)));
    SAFE(cudaMemcpy(d_l, left.data(), n, cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(d_r, right.data(), n, cudaMemcpyHostToDevice));

    cudaStream_t s[2];
    for (auto& st : s) SAFE(cudaStreamCreate(&st));
    dim3 b2(32, 8), g2((w + 31) / 32, (h + 7) / 8);
    const uint8_t* src[2] = {d_l, d_r};
    uint64_t* dst[2] = {cl, cr};
    for (int i = 0; i < 2; ++i)
        census9x7<<<g2, b2, 0, s[i]>>>(src[i], dst[i], w, h);
    SAFE(cudaDeviceSynchronize());
    dim3 g1((w + 127) / 128, h);
    match_cost<<<g1, 128, 0, s[0]>>>(cl, cr, cost, w, h);
    aggregate_rows<<<dim3((w + 3) / 4, h), dim3(MAXD, 4), 0, s[0]>>>(cost, agg, w, h);
    winner<<<g1, 128, 0, s[0]>>>(agg, disp, w, h);
    median5<<<g2, b2, 0, s[0]>>>(disp, clean, w, h);
    disparity_hist<<<132, 256, 0, s[0]>>>(clean, hist, n);
    SAFE(cudaGetLastError());
    SAFE(cudaDeviceSynchronize());

    std::vector<uint8_t> out(n);
    std::vector<int> hh(MAXD);
    SAFE(cudaMemcpy(out.data(), clean, n, cudaMemcpyDeviceToHost));
    SAFE(cudaMemcpy(hh.data(), hist, MAXD * sizeof(int), cudaMemcpyDeviceToHost));
    int good = 0, total = 0;
    for (int y = 0; y < h; ++y)
        for (int x = MAXD; x < w; ++x) { ++total; good += out[y * w + x] == truth[y * w + x]; }
    printf("correct %.2f%%, hist[24]=%d %s\n", 100.0 * good / total, hh[24], good > 0.9 * total ? "OK" : "FAIL");
    for (auto& st : s) cudaStreamDestroy(st);
    for (void* p : {(void*)d_l, (void*)d_r, (void*)cost, (void*)disp, (void*)clean, (void*)cl, (void*)cr, (void*)agg, (void*)hist}) cudaFree(p);
    return good > 0.9 * total ? 0 : 1;
}
