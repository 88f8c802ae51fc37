// Brute-force incoherent dedispersion of a filterbank with boxcar pulse search.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

static void cu(cudaError_t e, int line)
{
    if (e != cudaSuccess) { std::cerr << "line " << line << ": " << cudaGetErrorString(e) << std::endl; std::exit(1); }
}
#define CU(x) cu((x), __LINE__)

struct Plan {
    int nchan = 256, nsamp = 16384, ndm = 128;
    float fch1 = 1500.f, foff = -1.f, tsamp = 2.56e-4f, dm_step = 1.f;
    int max_delay = 0;
};

__global__ void compute_delays(float* __restrict__ delay, int nchan, float fch1, float foff, float tsamp)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= nchan) return;
    double f = fch1 + double(foff) * c;
    double k = 4148.808 * (1.0 / (f * f) - 1.0 / (double(fch1) * fch1));
    delay[c] = float(k / tsamp);
}

__global__ void bandpass(const unsigned char* __restrict__ fb, float* __restrict__ mean, int nchan, int nsamp)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= nchan) return;
    float s = 0.f;
    for (int t = 0; t < nsamp; ++t)
        s += fb[(size_t)t * nchan + c];
    mean[c] = s / nsamp;
}

__global__ void transpose_clean(const unsigned char* __restrict__ fb, const float* __restrict__ mean, float* __restrict__ out, int nchan, int nsamp)
{
    __shared__ float tile[32][33];
    int c0 = blockIdx.x * 32, t0 = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = fb[(size_t)(t0 + r) * nchan + c0 + threadIdx.x] - mean[c0 + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        out[(size_t)(c0 + r) * nsamp + t0 + threadIdx.x] = tile[threadIdx.x][r];
}

__global__ void dedisperse(const float* __restrict__ data, const float* __restrict__ delay, float* __restrict__ out,
                           int nchan, int nsamp, int ndm, float dm_step, int nout)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    int t = blockIdx.y * blockDim.y + threadIdx.y;
    if (d >= ndm || t >= nout) return;
    float dm = d * dm_step;
    float acc = 0.f;
    for (int c = 0; c < nchan; ++c) {
        int shift = __float2int_rn(dm * delay[c]);
        acc += data[(size_t)c * nsamp + t + shift];
    }
    out[(size_t)d * nout + t] = acc;
}

__global__ void boxcar_search(const float* __restrict__ series, float* __restrict__ best, int* __restrict__ where, int nout)
{
    __shared__ float smax[256];
    __shared__ int sarg[256];
    const float* x = series + (size_t)blockIdx.x * nout;
    float m = -1e30f;
    int arg = 0;
    for (int t = threadIdx.x; t < nout - 32; t += blockDim.x) {
        float widest = -1e30f;
        for (int w = 1; w <= 32; w *= 2) {
            float s = 0.f;
            for (int k = 0; k < w; ++k) s += x[t + k];
            widest = fmaxf(widest, s / powf((float)w, 0.5f));
        }
        if (widest > m) { m = widest; arg = t; }
    }
    smax[threadIdx.x] = m;
    sarg[threadIdx.x] = arg;
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1) {
        if (threadIdx.x < h && smax[threadIdx.x + h] > smax[threadIdx.x]) {
            smax[threadIdx.x] = smax[threadIdx.x + h];
            sarg[threadIdx.x] = sarg[threadIdx.x + h];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) { best[blockIdx.x] = smax[0]; where[blockIdx.x] = sarg[0]; }
}

template <typename T>
static T* dalloc(size_t n)
{
    T* p;
    CU(cudaMalloc(&p, n * sizeof(T)));
    return p;
}

int main(int argc, char** argv)
{
    Plan p;
    for (int i = 1; i < argc; ++i) {
        std::string a(argv[i]);
        auto eq = a.find('=');
        if (eq == std::string::npos) { std::cerr << "use key=value\n"; return 2; }
        std::string key = a.substr(0, eq);
        float val = std::stof(a.substr(eq + 1));
        if (key == "ndm") p.ndm = (int)val;
        else if (key == "nsamp") p.nsamp = (int)val / 32 * 32;
        else if (key == "dmstep") p.dm_step = val;
    }
    double flow = p.fch1 + double(p.foff) * (p.nchan - 1);
    double kmax = 4148.808 * (1.0 / (flow * flow) - 1.0 / (double(p.fch1) * p.fch1));
    p.max_delay = int(kmax * p.dm_step * (p.ndm - 1) / p.tsamp) + 2;
    const int nout = p.nsamp - p.max_delay;
    if (nout < 256) { std::cerr << "too few samples\n"; return 2; }

    std::vector<unsigned char> fb((size_t)p.nchan * p.nsamp);
    unsigned s = 7;
    for (auto& b : fb) { s = s * 1664525u + 1013904223u; b = 96 + (s >> 27); }
    const float true_dm = 40.f * p.dm_step;
    const int t_pulse = nout / 3;
    for (int c = 0; c < p.nchan; ++c) {
        double f = p.fch1 + double(p.foff) * c;
        double k = 4148.808 * (1.0 / (f * f) - 1.0 / (double(p.fch1) * p.fch1));
        int t = t_pulse + int(lrint(k * true_dm / p.tsamp));
        for (int w = 0; w < 4; ++w) if (t + w < p.nsamp) fb[(size_t)(t + w) * p.nchan + c] += 30;
    }
    unsigned char* d_fb = dalloc<unsigned char>(fb.size());
    float* d_data = dalloc<float>(fb.size());
    float *d_mean = dalloc<float>(p.nchan), *d_delay = dalloc<float>(p.nchan);
    float *d_series = dalloc<float>((size_t)p.ndm * nout), *d_best = dalloc<float>(p.ndm);
    int* d_where = dalloc<int>(p.ndm);
    CU(cudaMemcpy(d_fb, fb.data(), fb.size(), cudaMemcpyHostToDevice));

    compute_delays<<<1, p.nchan>>>(d_delay, p.nchan, p.fch1, p.foff, p.tsamp);
    bandpass<<<(p.nchan + 31) / 32, 32>>>(d_fb, d_mean, p.nchan, p.nsamp);
    transpose_clean<<<dim3(p.nchan / 32, p.nsamp / 32), dim3(32, 8)>>>(d_fb, d_mean, d_data, p.nchan, p.nsamp);
    dim3 blk(32, 8), grd((p.ndm + 31) / 32, (nout + 7) / 8);
    dedisperse<<<grd, blk>>>(d_data, d_delay, d_series, p.nchan, p.nsamp, p.ndm, p.dm_step, nout);
    boxcar_search<<<p.ndm, 256>>>(d_series, d_best, d_where, nout);
    CU(cudaGetLastError());

    std::vector<float> best(p.ndm);
    std::vector<int> where(p.ndm);
    CU(cudaMemcpy(best.data(), d_best, p.ndm * sizeof(float), cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(where.data(), d_where, p.ndm * sizeof(int), cudaMemcpyDeviceToHost));
    int top = 0;
    for (int d = 1; d < p.ndm; ++d) if (best[d] > best[top]) top = d;
    bool good = abs(top - 40) <= 1 && abs(where[top] - t_pulse) <= 8;
    printf("DM %.1f at sample %d (injected %.1f at %d) %s\n", top * p.dm_step, where[top], true_dm, t_pulse, good ? "OK" : "FAIL");
    for (void* q : {(void*)d_fb, (void*)d_data, (void*)d_mean, (void*)d_delay, (void*)d_series, (void*)d_best, (void*)d_where}) cudaFree(q);
    return good ? 0 : 1;
}
