// Edge-preserving smoothing of an RGB frame followed by a row integral for box statistics.
#include <cuda_runtime.h>
#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int RADIUS = 5;
constexpr int DIAM = 2 * RADIUS + 1;
__constant__ float c_spatial[DIAM * DIAM];

template <typename T>
class DeviceImage {
public:
    DeviceImage(int w, int h, int ch = 1) : w_(w), h_(h) { CK(cudaMalloc(&p_, sizeof(T) * w * h * ch)); }
    ~DeviceImage() { cudaFree(p_); }
    DeviceImage(const DeviceImage&) = delete;
    T* get() { return p_; }
    int width() const { return w_; }
    int height() const { return h_; }
private:
    T* p_ = nullptr;
    int w_, h_;
};

__global__ void luma_kernel(const unsigned char* __restrict__ rgb, float* __restrict__ luma, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float r = rgb[3 * i];
    float g = rgb[3 * i + 1];
    float b = rgb[3 * i + 2];
    luma[i] = 0.299f * r + 0.587f * g + 0.114f * b;
}

__global__ void bilateral_kernel(const float* __restrict__ in, float* __restrict__ out, int w, int h, float sigma)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float centre = in[y * w + x];
    float sum = 0.f, norm = 0.f;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy) {
        int yy = min(max(y + dy, 0), h - 1);
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            int xx = min(max(x + dx, 0), w - 1);
            float v = in[yy * w + xx];
            float d = v - centre;
            float wgt = c_spatial[(dy + RADIUS) * DIAM + dx + RADIUS] * exp(-d * d / (2.0 * sigma * sigma));
            sum += wgt * v;
            norm += wgt;
        }
    }
    out[y * w + x] = sum / norm;
}

__global__ void row_integral(const float* __restrict__ in, float* __restrict__ out, int w, int h)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= h) return;
    float acc = 0.f;
    for (int x = 0; x < w; ++x) {
        acc += in[row * w + x];
        out[row * w + x] = acc;
    }
}

__global__ void col_integral(float* __restrict__ img, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float acc = 0.f;
    for (int y = 0; y < h; ++y) {
        acc += img[y * w + x];
        img[y * w + x] = acc;
    }
}

__global__ void box_mean(const float* __restrict__ sat, float* __restrict__ out, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    int x0 = max(x - r - 1, 0), x1 = min(x + r, w - 1);
    int y0 = max(y - r - 1, 0), y1 = min(y + r, h - 1);
    float a = sat[y1 * w + x1] - sat[y0 * w + x1] - sat[y1 * w + x0] + sat[y0 * w + x0];
    out[y * w + x] = a / float((x1 - x0) * (y1 - y0));
}

int main(int argc, char** argv)
{
    int w = 1024, h = 768;
    float sigma = 24.f, sigma_s = 3.f;
    int opt;
    while ((opt = getopt(argc, argv, "w:h:s:d:")) != -1) {
        switch (opt) {
        case 'w': w = atoi(optarg); break;
        case 'h': h = atoi(optarg); break;
        case 's': sigma = atof(optarg); break;
        case 'd': sigma_s = atof(optarg); break;
        default: fprintf(stderr, "usage: %s [-w W] [-h H] [-s sigma] [-d sigma_s]\n", argv[0]); return 2;
        }
    }
    std::vector<unsigned char> rgb(size_t(w) * h * 3);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            for (int c = 0; c < 3; ++c)
                rgb[(size_t(y) * w + x) * 3 + c] = (unsigned char)(((x / 64 + y / 48) & 1) * 120 + (x * 7 + y * 13 + c * 5) % 31);
    float sp[DIAM * DIAM];
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx)
            sp[(dy + RADIUS) * DIAM + dx + RADIUS] = expf(-(dx * dx + dy * dy) / (2.f * sigma_s * sigma_s));
    CK(cudaMemcpyToSymbol(c_spatial, sp, sizeof sp));

    DeviceImage<unsigned char> d_rgb(w, h, 3);
    DeviceImage<float> d_luma(w, h), d_smooth(w, h), d_sat(w, h), d_box(w, h);
    CK(cudaMemcpy(d_rgb.get(), rgb.data(), rgb.size(), cudaMemcpyHostToDevice));

    int n = w * h;
    luma_kernel<<<(n + 255) / 256, 256>>>(d_rgb.get(), d_luma.get(), n);
    dim3 block(4, 32);
    dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    bilateral_kernel<<<grid, block>>>(d_luma.get(), d_smooth.get(), w, h, sigma);
    row_integral<<<(h + 127) / 128, 128>>>(d_smooth.get(), d_sat.get(), w, h);
    col_integral<<<(w + 63) / 64, 64>>>(d_sat.get(), w, h);
    box_mean<<<dim3((w + 255) / 256, h), 256>>>(d_sat.get(), d_box.get(), w, h, 8);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());

    std::vector<float> sm(n), sat(n);
    CK(cudaMemcpy(sm.data(), d_smooth.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(sat.data(), d_sat.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
    double total = 0;
    for (float v : sm) total += v;
    double rel = fabs(total - sat[n - 1]) / total;
    printf("mean %.4f, integral mismatch %.3e %s\n", total / n, rel, rel < 1e-3 ? "OK" : "FAIL");
    return rel < 1e-3 ? 0 : 1;
}
