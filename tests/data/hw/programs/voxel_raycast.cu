// Volume ray caster: procedural density, gradient shading, front-to-back compositing.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace vr {

inline void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); }

template <typename T>
struct Buffer {
    T* ptr = nullptr;
    size_t count = 0;
    explicit Buffer(size_t n) : count(n) { ok(cudaMalloc(&ptr, n * sizeof(T))); }
    Buffer(Buffer&& o) noexcept : ptr(o.ptr), count(o.count) { o.ptr = nullptr; }
    Buffer(const Buffer&) = delete;
    ~Buffer() { if (ptr) cudaFree(ptr); }
    std::vector<T> host() const
    {
        std::vector<T> v(count);
        ok(cudaMemcpy(v.data(), ptr, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

struct Camera { float3 eye, right, up, fwd; float fov; };
__constant__ Camera cam;
__constant__ float4 transfer[256];

__global__ void make_volume(float* __restrict__ vol, int n)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.z;
    if (z >= n || y >= n) return;
    float fx = 2.f * x / n - 1.f, fy = 2.f * y / n - 1.f, fz = 2.f * z / n - 1.f;
    float r = sqrtf(fx * fx + fy * fy + fz * fz);
    float v = 0.5f + 0.5f * sinf(14.f * fx * fy) * cosf(11.f * fz);
    vol[(size_t(z) * n + y) * n + x] = v * fmaxf(0.f, 1.f - r);
}

__global__ void gradient_mag(const float* __restrict__ vol, float* __restrict__ mag, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y, z = blockIdx.z;
    if (x >= n) return;
    auto at = [&](int i, int j, int k) {
        i = min(max(i, 0), n - 1); j = min(max(j, 0), n - 1); k = min(max(k, 0), n - 1);
        return vol[(size_t(k) * n + j) * n + i];
    };
    float gx = at(x + 1, y, z) - at(x - 1, y, z);
    float gy = at(x, y + 1, z) - at(x, y - 1, z);
    float gz = at(x, y, z + 1) - at(x, y, z - 1);
    mag[(size_t(z) * n + y) * n + x] = sqrt(pow(gx, 2.0) + pow(gy, 2.0) + pow(gz, 2.0)) * 0.5;
}

__device__ float sample(const float* __restrict__ vol, int n, float3 p)
{
    float x = (p.x * 0.5f + 0.5f) * (n - 1), y = (p.y * 0.5f + 0.5f) * (n - 1), z = (p.z * 0.5f + 0.5f) * (n - 1);
    int i = min(max(int(x), 0), n - 2), j = min(max(int(y), 0), n - 2), k = min(max(int(z), 0), n - 2);
    float a = x - i, b = y - j, c = z - k;
    const float* q = vol + (size_t(k) * n + j) * n + i;
    float v00 = q[0] + a * (q[1] - q[0]);
    float v10 = q[n] + a * (q[n + 1] - q[n]);
    const float* r = q + n * n;
    float v01 = r[0] + a * (r[1] - r[0]);
    float v11 = r[n] + a * (r[n + 1] - r[n]);
    return (v00 + b * (v10 - v00)) * (1.f - c) + (v01 + b * (v11 - v01)) * c;
}

__global__ void raycast(const float* __restrict__ vol, const float* __restrict__ mag, int n, float4* __restrict__ img, int w, int h, float step)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    float u = ((px + 0.5f) / w - 0.5f) * cam.fov, v = ((py + 0.5f) / h - 0.5f) * cam.fov;
    float3 d = make_float3(cam.fwd.x + u * cam.right.x + v * cam.up.x, cam.fwd.y + u * cam.right.y + v * cam.up.y, cam.fwd.z + u * cam.right.z + v * cam.up.z);
    float inv = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    d.x *= inv; d.y *= inv; d.z *= inv;
    float t0 = 0.f, t1 = 1e9f;
    float o[3] = {cam.eye.x, cam.eye.y, cam.eye.z}, dd[3] = {d.x, d.y, d.z};
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        float ta = (-1.f - o[a]) / dd[a], tb = (1.f - o[a]) / dd[a];
        t0 = fmaxf(t0, fminf(ta, tb));
        t1 = fminf(t1, fmaxf(ta, tb));
    }
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (float t = t0; t < t1 && acc.w < 0.97f; t += step) {
        float3 p = make_float3(cam.eye.x + t * d.x, cam.eye.y + t * d.y, cam.eye.z + t * d.z);
        float den = sample(vol, n, p), g = sample(mag, n, p);
        float4 c = transfer[min(int(den * 255.f), 255)];
        float a = c.w * (0.3f + 2.f * g) * (1.f - acc.w);
        acc.x += a * c.x; acc.y += a * c.y; acc.z += a * c.z; acc.w += a;
    }
    img[py * w + px] = acc;
}

__global__ void tonemap(const float4* __restrict__ img, unsigned char* __restrict__ rgb, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 c = img[i];
    rgb[3 * i] = (unsigned char)(255.f * fminf(c.x, 1.f));
    rgb[3 * i + 1] = (unsigned char)(255.f * fminf(c.y, 1.f));
    rgb[3 * i + 2] = (unsigned char)(255.f * fminf(c.z, 1.f));
}

} // namespace vr

int main(int argc, char** argv)
try {
    int n = 128, w = 512, h = 384, views = 4;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "-n")) n = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "-w")) w = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "-h")) h = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "-views")) views = std::atoi(argv[i + 1]);
    }
    vr::Buffer<float> vol(size_t(n) * n * n), mag(size_t(n) * n * n);
    vr::Buffer<float4> img(size_t(w) * h);
    vr::Buffer<unsigned char> rgb(size_t(w) * h * 3);
    float4 tf[256];
    for (int i = 0; i < 256; ++i) tf[i] = make_float4(i / 255.f, 0.5f, 1.f - i / 255.f, i < 40 ? 0.f : 0.02f + i * 0.0004f);
    vr::ok(cudaMemcpyToSymbol(vr::transfer, tf, sizeof tf));

    vr::make_volume<<<dim3((n + 31) / 32, (n + 7) / 8, n), dim3(32, 8)>>>(vol.ptr, n);
    vr::gradient_mag<<<dim3((n + 127) / 128, n, n), 128>>>(vol.ptr, mag.ptr, n);
    double sum = 0;
    for (int v = 0; v < views; ++v) {
        float a = 0.7f * v;
        vr::Camera c;
        c.eye = make_float3(3.f * cosf(a), 0.4f, 3.f * sinf(a));
        c.fwd = make_float3(-cosf(a), -0.13f, -sinf(a));
        c.right = make_float3(-sinf(a), 0.f, cosf(a));
        c.up = make_float3(0.f, 1.f, 0.f);
        c.fov = 0.9f;
        vr::ok(cudaMemcpyToSymbol(vr::cam, &c, sizeof c));
        const dim3 blk(8, 8);
        const dim3 grd((w + 7) / 8, (h + 7) / 8);
        vr::raycast<<<grd, blk>>>(vol.ptr, mag.ptr, n, img.ptr, w, h, 1.f / n);
        vr::tonemap<<<(w * h + 255) / 256, 256>>>(img.ptr, rgb.ptr, w * h);
        vr::ok(cudaGetLastError());
        auto px = rgb.host();
        for (unsigned char p : px) sum += p;
    }
    std::printf("mean pixel %.4f %s\n", sum / (double(w) * h * 3 * views), sum > 0 ? "OK" : "FAIL");
    return sum > 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
}
