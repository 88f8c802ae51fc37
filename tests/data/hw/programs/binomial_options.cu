// American option pricing on CRR binomial lattices, one block per contract, plus greeks by bumping.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

struct Contract {
    float spot, strike, vol, rate, expiry;
    int is_put;
    float pad0, pad1;
};

struct Lattice { float u, pu, pd; };

__global__ void setup_lattice(const Contract* __restrict__ c, Lattice* __restrict__ lat, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Contract k = c[i];
    float dt = k.expiry / steps;
    float u = expf(k.vol * sqrtf(dt));
    float df = expf(-k.rate * dt);
    float p = (expf(k.rate * dt) - 1.f / u) / (u - 1.f / u);
    lat[i] = Lattice{u, p * df, (1.f - p) * df};
}

__device__ __forceinline__ float payoff(float s, float strike, int is_put)
{
    return is_put ? fmaxf(strike - s, 0.f) : fmaxf(s - strike, 0.f);
}

__global__ void price_american(const Contract* __restrict__ contracts, const Lattice* __restrict__ lat,
                               float* __restrict__ price, int steps)
{
    extern __shared__ float v[];
    const Contract k = contracts[blockIdx.x];
    const Lattice L = lat[blockIdx.x];
    for (int j = threadIdx.x; j <= steps; j += blockDim.x)
        v[j] = payoff(k.spot * powf(L.u, float(2 * j - steps)), k.strike, k.is_put);
    __syncthreads();
    for (int t = steps - 1; t >= 0; --t) {
        for (int base = 0; base <= t; base += blockDim.x) {
            int j = base + threadIdx.x;
            float cont = 0.f;
            if (j <= t) cont = L.pd * v[j] + L.pu * v[j + 1];
            __syncthreads();
            if (j <= t) {
                float s = k.spot * pow(L.u, 2.0 * j - t);
                v[j] = fmaxf(cont, payoff(s, k.strike, k.is_put));
            }
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) price[blockIdx.x] = v[0];
}

__global__ void price_european(const Contract* __restrict__ contracts, float* __restrict__ price, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = contracts[i].spot, x = contracts[i].strike;
    float sig = contracts[i].vol, r = contracts[i].rate, t = contracts[i].expiry;
    float sq = sig * sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * sig * sig) * t) / sq;
    float call = s * normcdff(d1) - x * expf(-r * t) * normcdff(d1 - sq);
    price[i] = contracts[i].is_put ? call - s + x * expf(-r * t) : call;
}

__global__ void scenario_pnl(const float* __restrict__ shocks, const float* __restrict__ delta,
                             float* __restrict__ pnl, int n_contracts, int n_scen)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= n_scen) return;
    float acc = 0.f;
    for (int c = 0; c < n_contracts; ++c)
        acc += shocks[s * n_contracts + c] * delta[c];
    pnl[s] = acc;
}

__global__ void worst_loss(const float* __restrict__ pnl, int n, float* __restrict__ worst)
{
    __shared__ float best;
    if (threadIdx.x == 0) {
        float m = pnl[0];
        for (int i = 1; i < n; ++i) m = fminf(m, pnl[i]);
        best = m;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (pnl[i] == best) *worst = pnl[i];
}

int main(int argc, char** argv)
{
    int n = 512, steps = 512, n_scen = 16384;
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--contracts") && i + 1 < argc) n = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--steps") && i + 1 < argc) steps = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--scenarios") && i + 1 < argc) n_scen = atoi(argv[++i]);
        else { fprintf(stderr, "unknown option %s\n", argv[i]); return 2; }
    }
    std::vector<Contract> h(n);
    for (int i = 0; i < n; ++i)
        h[i] = Contract{80.f + i % 41, 100.f, 0.15f + 0.001f * (i % 100), 0.03f, 0.5f + 0.01f * (i % 50), i & 1, 0.f, 0.f};
    std::vector<float> hs(size_t(n) * n_scen);
    unsigned rng = 12345u;
    for (auto& x : hs) { rng = rng * 1664525u + 1013904223u; x = (float(rng >> 8) / 16777216.f - 0.5f) * 4.f; }

    Contract* dc; Lattice* dl; float *amer, *euro, *shocks, *pnl, *worst;
    check(cudaMalloc(&dc, n * sizeof(Contract)), "malloc");
    check(cudaMalloc(&dl, n * sizeof(Lattice)), "malloc");
    check(cudaMalloc(&amer, n * sizeof(float)), "malloc");
    check(cudaMalloc(&euro, n * sizeof(float)), "malloc");
    check(cudaMalloc(&shocks, hs.size() * sizeof(float)), "malloc");
    check(cudaMalloc(&pnl, n_scen * sizeof(float)), "malloc");
    check(cudaMalloc(&worst, sizeof(float)), "malloc");
    check(cudaMemcpy(dc, h.data(), n * sizeof(Contract), cudaMemcpyHostToDevice), "h2d");
    check(cudaMemcpy(shocks, hs.data(), hs.size() * sizeof(float), cudaMemcpyHostToDevice), "h2d");

    const int threads = 128;
    setup_lattice<<<(n + threads - 1) / threads, threads>>>(dc, dl, n, steps);
    size_t smem = (steps + 1) * sizeof(float);
    price_american<<<n, threads, smem>>>(dc, dl, amer, steps);
    price_european<<<(n + threads - 1) / threads, threads>>>(dc, euro, n);
    scenario_pnl<<<(n_scen + 255) / 256, 256>>>(shocks, amer, pnl, n, n_scen);
    worst_loss<<<1, 256>>>(pnl, n_scen, worst);
    check(cudaGetLastError(), "launch");

    std::vector<float> ha(n), he(n);
    float w;
    check(cudaMemcpy(ha.data(), amer, n * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(he.data(), euro, n * sizeof(float), cudaMemcpyDeviceToHost), "d2h");
    check(cudaMemcpy(&w, worst, sizeof w, cudaMemcpyDeviceToHost), "d2h");
    int bad = 0;
    for (int i = 0; i < n; ++i) {
        if (!h[i].is_put && fabsf(ha[i] - he[i]) > 0.05f) ++bad;
        if (h[i].is_put && ha[i] < he[i] - 0.05f) ++bad;
    }
    printf("contracts %d, worst pnl %.3f, violations %d %s\n", n, w, bad, bad ? "FAIL" : "OK");
    for (void* p : {(void*)dc, (void*)dl, (void*)amer, (void*)euro, (void*)shocks, (void*)pnl, (void*)worst}) cudaFree(p);
    return bad != 0;
}
