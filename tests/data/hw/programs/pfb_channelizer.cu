// Polyphase filter bank channelizer: FIR front end, DFT back end, power spectra and integration.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

constexpr int kChan = 64;
constexpr int kTaps = 8;
constexpr float kPi = 3.14159265358979f;

__constant__ float c_window[kChan * kTaps];

struct Fail {
    const char* where;
    Fail& operator<<(cudaError_t e)
    {
        if (e != cudaSuccess) { std::fprintf(stderr, "[%s] %s\n", where, cudaGetErrorString(e)); std::abort(); }
        return *this;
    }
};

__global__ void unpack_samples(const int8_t* __restrict__ raw, float2* __restrict__ z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char2 s = reinterpret_cast<const char2*>(raw)[i];
    z[i] = make_float2(s.x / 128.f, s.y / 128.f);
}

__global__ void pfb_fir(const float2* __restrict__ z, float2* __restrict__ out, int frames)
{
    int c = threadIdx.x;
    int f = blockIdx.x * blockDim.y + threadIdx.y;
    if (f >= frames) return;
    float2 acc = make_float2(0.f, 0.f);
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
        float w = c_window[t * kChan + c];
        float2 s = z[(f + t) * kChan + c];
        acc.x += w * s.x;
        acc.y += w * s.y;
    }
    out[f * kChan + c] = acc;
}

__global__ void dft_channels(const float2* __restrict__ in, float2* __restrict__ out, int frames)
{
    __shared__ float2 row[4][kChan];
    int c = threadIdx.x;
    int f = blockIdx.x * blockDim.y + threadIdx.y;
    if (f < frames) row[threadIdx.y][c] = in[f * kChan + c];
    __syncthreads();
    if (f >= frames) return;
    float2 acc = make_float2(0.f, 0.f);
    for (int k = 0; k < kChan; ++k) {
        double ang = -2.0 * M_PI * ((k * c) % kChan) / kChan;
        float cs = cos(ang), sn = sin(ang);
        float2 v = row[threadIdx.y][k];
        acc.x += v.x * cs - v.y * sn;
        acc.y += v.x * sn + v.y * cs;
    }
    out[f * kChan + c] = acc;
}

__global__ void corner_turn(const float2* __restrict__ in, float* __restrict__ power, int frames)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (f >= frames) return;
    float2 v = in[f * kChan + c];
    power[c * frames + f] = v.x * v.x + v.y * v.y;
}

__global__ void integrate_power(const float* __restrict__ power, float* __restrict__ spec, int frames)
{
    __shared__ float buf[256];
    float s = 0.f;
    for (int f = threadIdx.x; f < frames; f += blockDim.x)
        s += power[blockIdx.x * frames + f];
    buf[threadIdx.x] = s;
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        if (threadIdx.x % (2 * k) == 0)
            buf[threadIdx.x] += buf[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) spec[blockIdx.x] = buf[0] / frames;
}

class Channelizer {
public:
    explicit Channelizer(int frames) : frames_(frames), samples_((frames + kTaps) * kChan)
    {
        Fail f{"alloc"};
        f << cudaMalloc(&raw_, samples_ * 2) << cudaMalloc(&z_, samples_ * sizeof(float2))
          << cudaMalloc(&fir_, frames_ * kChan * sizeof(float2)) << cudaMalloc(&chan_, frames_ * kChan * sizeof(float2))
          << cudaMalloc(&pow_, frames_ * kChan * sizeof(float)) << cudaMalloc(&spec_, kChan * sizeof(float))
          << cudaStreamCreate(&st_);
    }
    ~Channelizer()
    {
        cudaStreamDestroy(st_);
        void* all[] = {raw_, z_, fir_, chan_, pow_, spec_};
        for (void* p : all) cudaFree(p);
    }
    int samples() const { return samples_; }
    void process(const std::vector<int8_t>& host, std::vector<float>& spec)
    {
        Fail f{"process"};
        f << cudaMemcpyAsync(raw_, host.data(), host.size(), cudaMemcpyHostToDevice, st_);
        unpack_samples<<<(samples_ + 255) / 256, 256, 0, st_>>>(raw_, z_, samples_);
        dim3 b(kChan, 4);
        pfb_fir<<<(frames_ + 3) / 4, b, 0, st_>>>(z_, fir_, frames_);
        dft_channels<<<(frames_ + 3) / 4, b, 0, st_>>>(fir_, chan_, frames_);
        dim3 g((frames_ + 255) / 256, kChan);
        corner_turn<<<g, 256, 0, st_>>>(chan_, pow_, frames_);
        integrate_power<<<kChan, 256, 0, st_>>>(pow_, spec_, frames_);
        f << cudaGetLastError();
        spec.resize(kChan);
        f << cudaMemcpyAsync(spec.data(), spec_, kChan * sizeof(float), cudaMemcpyDeviceToHost, st_) << cudaStreamSynchronize(st_);
    }
private:
    int frames_, samples_;
    int8_t* raw_ = nullptr;
    float2 *z_ = nullptr, *fir_ = nullptr, *chan_ = nullptr;
    float *pow_ = nullptr, *spec_ = nullptr;
    cudaStream_t st_ = nullptr;
};

int main(int argc, char** argv)
{
    const int frames = argc > 1 ? std::atoi(argv[1]) : 16384;
    const int tone = argc > 2 ? std::atoi(argv[2]) : 19;
    const int blocks = argc > 3 ? std::atoi(argv[3]) : 3;
    float win[kChan * kTaps];
    for (int i = 0; i < kChan * kTaps; ++i) {
        float x = (i + 0.5f) / kChan - kTaps / 2.f;
        float sinc = fabsf(x) < 1e-5f ? 1.f : sinf(kPi * x) / (kPi * x);
        win[i] = sinc * (0.54f - 0.46f * cosf(2 * kPi * (i + 0.5f) / (kChan * kTaps)));
    }
    Fail{"const"} << cudaMemcpyToSymbol(c_window, win, sizeof win);
    Channelizer ch(frames);
    std::vector<int8_t> raw(size_t(ch.samples()) * 2);
    for (int i = 0; i < ch.samples(); ++i) {
        float ph = 2 * kPi * float((long long)i * tone % kChan) / kChan;
        raw[2 * i] = int8_t(60 * cosf(ph) + (i * 7919 % 11) - 5);
        raw[2 * i + 1] = int8_t(60 * sinf(ph) + (i * 104729 % 11) - 5);
    }
    std::vector<float> spec;
    for (int b = 0; b < blocks; ++b) ch.process(raw, spec);
    int peak = 0;
    for (int c = 1; c < kChan; ++c) if (spec[c] > spec[peak]) peak = c;
    printf("peak channel %d power %.3f %s\n", peak, spec[peak], peak == tone ? "OK" : "FAIL");
    return peak == tone ? 0 : 1;
}
