// Smoothed-particle hydrodynamics dam break with a uniform grid (counting sort by cell).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <string>
#include <vector>

#define CUDA_OK(expr) if (cudaError_t err__ = (expr)) { \
    fprintf(stderr, "CUDA failure %s line %d\n", cudaGetErrorString(err__), __LINE__); std::exit(3); }

struct Particle {
    float3 pos;
    float3 vel;
    float3 force;
    float density;
    float pressure;
    int cell;
};

struct SimParams {
    float h, mass, rest_density, stiffness, viscosity, dt;
    int gx, gy, gz;
};
__constant__ SimParams P;

__global__ void assign_cells(Particle* p, int* cell_count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = min(max(int(p[i].pos.x / P.h), 0), P.gx - 1);
    int cy = min(max(int(p[i].pos.y / P.h), 0), P.gy - 1);
    int cz = min(max(int(p[i].pos.z / P.h), 0), P.gz - 1);
    int c = (cz * P.gy + cy) * P.gx + cx;
    p[i].cell = c;
    atomicAdd(&cell_count[c], 1);
}

__global__ void scan_cells(const int* count, int* start, int cells)
{
    if (threadIdx.x == 0) {
        int acc = 0;
        for (int c = 0; c < cells; ++c) {
            start[c] = acc;
            acc += count[c];
        }
        start[cells] = acc;
    }
}

__global__ void scatter_index(const Particle* __restrict__ p, const int* __restrict__ start, int* fill, int* order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = p[i].cell;
    order[start[c] + atomicAdd(&fill[c], 1)] = i;
}

__global__ void density_pressure(Particle* p, const int* __restrict__ start, const int* __restrict__ order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 xi = p[i].pos;
    int c = p[i].cell;
    int cx = c % P.gx, cy = (c / P.gx) % P.gy, cz = c / (P.gx * P.gy);
    float h2 = P.h * P.h;
    float sum = 0.f;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, P.gz - 1); ++z)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, P.gy - 1); ++y)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, P.gx - 1); ++x) {
                int cell = (z * P.gy + y) * P.gx + x;
                for (int k = start[cell]; k < start[cell + 1]; ++k) {
                    float3 xj = p[order[k]].pos;
                    float dx = xi.x - xj.x, dy = xi.y - xj.y, dz = xi.z - xj.z;
                    float r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < h2) sum += powf(h2 - r2, 3.0f);
                }
            }
    float rho = P.mass * 315.f / (64.f * 3.14159265f * powf(P.h, 9.f)) * sum;
    rho = fmaxf(rho, P.rest_density * 0.5f);
    p[i].density = rho;
    p[i].pressure = P.stiffness * (rho - P.rest_density);
}

__global__ void forces(Particle* p, const int* __restrict__ start, const int* __restrict__ order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle me = p[i];
    int cx = me.cell % P.gx, cy = (me.cell / P.gx) % P.gy, cz = me.cell / (P.gx * P.gy);
    float3 f = make_float3(0.f, -9.81f * me.density, 0.f);
    float grad = -45.f / (3.14159265f * powf(P.h, 6.f));
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= P.gx || y >= P.gy || z >= P.gz) continue;
                int cell = (z * P.gy + y) * P.gx + x;
                for (int k = start[cell]; k < start[cell + 1]; ++k) {
                    int j = order[k];
                    if (j == i) continue;
                    const Particle& o = p[j];
                    float ex = me.pos.x - o.pos.x, ey = me.pos.y - o.pos.y, ez = me.pos.z - o.pos.z;
                    float r = sqrtf(ex * ex + ey * ey + ez * ez) + 1e-6f;
                    if (r >= P.h) continue;
                    float w = P.h - r;
                    float pt = -P.mass * (me.pressure + o.pressure) / (2.f * o.density) * grad * w * w / r;
                    float vt = -P.viscosity * P.mass / o.density * grad * w;
                    f.x += pt * ex + vt * (o.vel.x - me.vel.x);
                    f.y += pt * ey + vt * (o.vel.y - me.vel.y);
                    f.z += pt * ez + vt * (o.vel.z - me.vel.z);
                }
            }
    p[i].force = f;
}

__global__ void integrate(Particle* p, int n, float3 box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle q = p[i];
    float s = P.dt / q.density;
    q.vel.x += q.force.x * s; q.vel.y += q.force.y * s; q.vel.z += q.force.z * s;
    q.pos.x += q.vel.x * P.dt; q.pos.y += q.vel.y * P.dt; q.pos.z += q.vel.z * P.dt;
    if (q.pos.x < 0.f) { q.pos.x = 0.f; q.vel.x *= -0.3f; }
    if (q.pos.y < 0.f) { q.pos.y = 0.f; q.vel.y *= -0.3f; }
    if (q.pos.z < 0.f) { q.pos.z = 0.f; q.vel.z *= -0.3f; }
    if (q.pos.x > box.x) { q.pos.x = box.x; q.vel.x *= -0.3f; }
    if (q.pos.y > box.y) { q.pos.y = box.y; q.vel.y *= -0.3f; }
    if (q.pos.z > box.z) { q.pos.z = box.z; q.vel.z *= -0.3f; }
    p[i] = q;
}

int main(int argc, char** argv)
{
    int n = 32768, steps = 5;
    for (int a = 1; a < argc; ++a) {
        std::string s = argv[a];
        if (s.rfind("n=", 0) == 0) n = std::stoi(s.substr(2));
        if (s.rfind("steps=", 0) == 0) steps = std::stoi(s.substr(6));
    }
    SimParams hp{0.04f, 0.f, 1000.f, 2.f, 0.1f, 5e-4f, 24, 24, 12};
    const float spacing = 0.02f;
    hp.mass = hp.rest_density * spacing * spacing * spacing;
    CUDA_OK(cudaMemcpyToSymbol(P, &hp, sizeof hp));
    const int cells = hp.gx * hp.gy * hp.gz;

    Particle* p; int *count, *start, *fill, *order;
    CUDA_OK(cudaMallocManaged(&p, n * sizeof(Particle)));
    CUDA_OK(cudaMalloc(&count, cells * sizeof(int)));
    CUDA_OK(cudaMalloc(&start, (cells + 1) * sizeof(int)));
    CUDA_OK(cudaMalloc(&fill, cells * sizeof(int)));
    CUDA_OK(cudaMalloc(&order, n * sizeof(int)));
    for (int i = 0; i < n; ++i) {
        int id = int((long long)i * 12289 % n);
        p[i] = Particle{};
        p[i].pos = make_float3((id % 32 + 0.5f) * spacing, (id / 32 % 48 + 0.5f) * spacing, (id / 1536 + 0.5f) * spacing);
    }
    const int tb = 128, nb = (n + tb - 1) / tb;
    for (int s = 0; s < steps; ++s) {
        CUDA_OK(cudaMemsetAsync(count, 0, cells * sizeof(int)));
        CUDA_OK(cudaMemsetAsync(fill, 0, cells * sizeof(int)));
        assign_cells<<<nb, tb>>>(p, count, n);
        scan_cells<<<1, 32>>>(count, start, cells);
        scatter_index<<<nb, tb>>>(p, start, fill, order, n);
        density_pressure<<<nb, tb>>>(p, start, order, n);
        forces<<<nb, tb>>>(p, start, order, n);
        integrate<<<nb, tb>>>(p, n, make_float3(hp.gx * hp.h, hp.gy * hp.h, hp.gz * hp.h));
    }
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    double rho = 0; int bad = 0;
    for (int i = 0; i < n; ++i) {
        rho += p[i].density;
        if (!std::isfinite(p[i].pos.x + p[i].pos.y + p[i].pos.z)) ++bad;
    }
    printf("mean density %.2f, non-finite %d %s\n", rho / n, bad, bad ? "FAIL" : "OK");
    cudaFree(p); cudaFree(count); cudaFree(start); cudaFree(fill); cudaFree(order);
    return bad != 0;
}
