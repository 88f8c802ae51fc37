// Alternating-direction implicit heat diffusion; Thomas solves along x then along y.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline void must(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } }

class Field {
public:
    explicit Field(int n) : n_(n) { must(cudaMalloc(&d_, sizeof(float) * n * n)); }
    ~Field() { cudaFree(d_); }
    Field(const Field&) = delete;
    float* operator()() const { return d_; }
    std::vector<float> get() const
    {
        std::vector<float> h((size_t)n_ * n_);
        must(cudaMemcpy(h.data(), d_, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
        return h;
    }
    void put(const std::vector<float>& h) { must(cudaMemcpy(d_, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice)); }
private:
    int n_;
    float* d_ = nullptr;
};

__global__ void thomas_coeffs(float* __restrict__ cp, int n, float r)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        float c = -r / (1.f + 2.f * r);
        cp[0] = c;
        for (int i = 1; i < n; ++i) {
            c = -r / (1.f + 2.f * r + r * c);
            cp[i] = c;
        }
    }
}

__global__ void explicit_y(const float* __restrict__ u, float* __restrict__ rhs, int n, float r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float up = y > 0 ? u[(y - 1) * n + x] : 0.f;
    float dn = y < n - 1 ? u[(y + 1) * n + x] : 0.f;
    rhs[y * n + x] = r * up + (1.f - 2.f * r) * u[y * n + x] + r * dn;
}

__global__ void explicit_x(const float* __restrict__ u, float* __restrict__ rhs, int n, float r)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float lf = x > 0 ? u[y * n + x - 1] : 0.f;
    float rt = x < n - 1 ? u[y * n + x + 1] : 0.f;
    rhs[y * n + x] = r * lf + (1.f - 2.f * r) * u[y * n + x] + r * rt;
}

__global__ void solve_x(float* __restrict__ d, const float* __restrict__ cp, int n, float r)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= n) return;
    float* row = d + (size_t)y * n;
    float prev = 0.f;
    for (int x = 0; x < n; ++x) {
        float c = x ? cp[x - 1] : 0.f;
        prev = (row[x] + r * prev) / (1.f + 2.f * r + r * c);
        row[x] = prev;
    }
    for (int x = n - 2; x >= 0; --x) {
        prev = row[x] - cp[x] * prev;
        row[x] = prev;
    }
}

__global__ void solve_y(float* __restrict__ d, const float* __restrict__ cp, int n, float r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n) return;
    float prev = 0.f;
    for (int y = 0; y < n; ++y) {
        float c = y ? cp[y - 1] : 0.f;
        prev = (d[y * n + x] + r * prev) / (1.f + 2.f * r + r * c);
        d[y * n + x] = prev;
    }
    for (int y = n - 2; y >= 0; --y) {
        prev = d[y * n + x] - cp[y] * prev;
        d[y * n + x] = prev;
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 512;
    const int steps = argc > 2 ? atoi(argv[2]) : 10;
    const float r = argc > 3 ? (float)atof(argv[3]) : 0.4f;
    Field u(n), rhs(n);
    float* cp;
    must(cudaMalloc(&cp, n * sizeof(float)));
    std::vector<float> h((size_t)n * n);
    const double pi = 3.14159265358979;
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x)
            h[(size_t)y * n + x] = float(sin(pi * 4 * (x + 1) / (n + 1)) * sin(pi * 3 * (y + 1) / (n + 1)));
    u.put(h);
    thomas_coeffs<<<1, 32>>>(cp, n, r);
    dim3 b(32, 8), g((n + 31) / 32, (n + 7) / 8);
    for (int s = 0; s < steps; ++s) {
        explicit_y<<<g, b>>>(u(), rhs(), n, r);
        solve_x<<<(n + 255) / 256, 256>>>(rhs(), cp, n, r);
        explicit_x<<<g, b>>>(rhs(), u(), n, r);
        solve_y<<<(n + 255) / 256, 256>>>(u(), cp, n, r);
    }
    must(cudaGetLastError());
    std::vector<float> out = u.get();
    double lx = 2 - 2 * cos(pi * 4 / (n + 1)), ly = 2 - 2 * cos(pi * 3 / (n + 1));
    double gain = pow((1 - r * ly) / (1 + r * lx) * (1 - r * lx) / (1 + r * ly), steps), err = 0;
    for (size_t i = 0; i < out.size(); ++i) err = fmax(err, fabs(out[i] - gain * h[i]));
    printf("max error against the discrete mode %.3e %s\n", err, err < 1e-3 ? "OK" : "FAIL");
    cudaFree(cp);
    return err < 1e-3 ? 0 : 1;
}
