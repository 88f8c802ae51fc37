// D2Q9 lattice Boltzmann lid-driven cavity with BGK collision.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <utility>
#include <vector>
#include <unistd.h>

inline void die_if(cudaError_t e, int line) { if (e) { fprintf(stderr, "cuda: %s (line %d)\n", cudaGetErrorString(e), line); exit(1); } }
#define C(x) die_if((x), __LINE__)

typedef float real;
__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ real wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void init_lattice(real* __restrict__ f, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    for (int q = 0; q < 9; ++q)
        f[(size_t)i * 9 + q] = wt[q];
}

__global__ void collide_bgk(real* __restrict__ f, real* __restrict__ speed, int cells, real omega)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells) return;
    real rho = 0, ux = 0, uy = 0;
    for (int q = 0; q < 9; ++q) {
        real v = f[(size_t)i * 9 + q];
        rho += v;
        ux += v * cx[q];
        uy += v * cy[q];
    }
    ux /= rho;
    uy /= rho;
    real usq = ux * ux + uy * uy;
    for (int q = 0; q < 9; ++q) {
        real cu = cx[q] * ux + cy[q] * uy;
        real feq = wt[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * usq);
        f[(size_t)i * 9 + q] += omega * (feq - f[(size_t)i * 9 + q]);
    }
    speed[i] = sqrtf(usq);
}

__global__ void stream(const real* __restrict__ src, real* __restrict__ dst, int nx, int ny, real lid)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    int x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    for (int q = 0; q < 9; ++q) {
        int sx = x - cx[q], sy = y - cy[q];
        real v;
        if (sx < 0 || sx >= nx || sy < 0 || sy >= ny) {
            v = src[(size_t)(y * nx + x) * 9 + opp[q]];
            if (sy >= ny) v += 6.f * wt[q] * lid * cx[q];
        } else {
            v = src[(size_t)(sy * nx + sx) * 9 + q];
        }
        dst[(size_t)(y * nx + x) * 9 + q] = v;
    }
}

__global__ void total_mass(const real* __restrict__ f, double* __restrict__ mass, int n)
{
    double s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += f[i];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(mass, s);
}

struct Lattice {
    int nx, ny, cells;
    real *cur, *nxt, *speed;
    Lattice(int x, int y) : nx(x), ny(y), cells(x * y)
    {
        C(cudaMalloc(&cur, sizeof(real) * 9 * cells));
        C(cudaMalloc(&nxt, sizeof(real) * 9 * cells));
        C(cudaMalloc(&speed, sizeof(real) * cells));
        init_lattice<<<(cells + 255) / 256, 256>>>(cur, cells);
        C(cudaGetLastError());
    }
    ~Lattice() { cudaFree(cur); cudaFree(nxt); cudaFree(speed); }
    void step(real omega, real lid)
    {
        collide_bgk<<<(cells + 127) / 128, 128>>>(cur, speed, cells, omega);
        dim3 b(32, 4), g((ny + 31) / 32, (nx + 3) / 4);
        stream<<<g, b>>>(cur, nxt, nx, ny, lid);
        std::swap(cur, nxt);
    }
    double mass() const
    {
        double *d, h = 0;
        C(cudaMalloc(&d, sizeof(double)));
        C(cudaMemset(d, 0, sizeof(double)));
        total_mass<<<264, 256>>>(cur, d, cells * 9);
        C(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost));
        cudaFree(d);
        return h;
    }
};

int main(int argc, char** argv)
{
    int nx = 256, ny = 256, steps = 200, o;
    real omega = 1.2f, lid = 0.08f;
    while ((o = getopt(argc, argv, "x:y:t:o:u:")) != -1) {
        if (o == 'x') nx = atoi(optarg);
        else if (o == 'y') ny = atoi(optarg);
        else if (o == 't') steps = atoi(optarg);
        else if (o == 'o') omega = atof(optarg);
        else if (o == 'u') lid = atof(optarg);
        else exit(2);
    }
    Lattice lat(nx, ny);
    double m0 = lat.mass();
    for (int s = 0; s < steps; ++s) lat.step(omega, lid);
    C(cudaGetLastError());
    double m1 = lat.mass();
    std::vector<real> sp(lat.cells);
    C(cudaMemcpy(sp.data(), lat.speed, sizeof(real) * lat.cells, cudaMemcpyDeviceToHost));
    double top = 0;
    for (int x = 0; x < nx; ++x) top += sp[(size_t)(ny - 1) * nx + x];
    double drift = fabs(m1 - m0) / m0;
    bool ok = drift < 5e-3 && std::isfinite(top) && top > 0;
    printf("mass drift %.3e, mean lid-row speed %.5f %s\n", drift, top / nx, ok ? "OK" : "FAIL");
    return ok ? 0 : 1;
}
