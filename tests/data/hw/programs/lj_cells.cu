#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <random>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line)
{
    if (e != cudaSuccess) {
        std::printf("CUDA error '%s' at line %d\n", cudaGetErrorString(e), line);
        std::exit(EXIT_FAILURE);
    }
}
#define GPU(x) check((x), __LINE__)

const int CELL_CAP = 64;

struct SimParams {
    int   ncell;        // cells per edge
    int   natoms;
    float cellSize;
    float box;
    float rc2;
    float epsilon;
    float sigma;
    float dt;
};

__global__ void clearCells(int *count, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells) count[c] = 0;
}

__global__ void binAtoms(const float4 *pos, int *count, int *slots, SimParams p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.natoms) return;
    float4 r = pos[i];
    int cx = min(p.ncell - 1, (int)(r.x / p.cellSize));
    int cy = min(p.ncell - 1, (int)(r.y / p.cellSize));
    int cz = min(p.ncell - 1, (int)(r.z / p.cellSize));
    int c = (cz * p.ncell + cy) * p.ncell + cx;
    int k = atomicAdd(&count[c], 1);
    if (k < CELL_CAP) slots[c * CELL_CAP + k] = i;
}

__global__ void computeForces(const float4 *pos, const int *count, const int *slots,
                              float *fx, float *fy, float *fz, float *pe, SimParams p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.natoms) return;
    float4 ri = pos[i];
    int cx = min(p.ncell - 1, (int)(ri.x / p.cellSize));
    int cy = min(p.ncell - 1, (int)(ri.y / p.cellSize));
    int cz = min(p.ncell - 1, (int)(ri.z / p.cellSize));
    fx[i] = 0.f; fy[i] = 0.f; fz[i] = 0.f; pe[i] = 0.f;

    for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
        int nx = (cx + dx + p.ncell) % p.ncell;
        int ny = (cy + dy + p.ncell) % p.ncell;
        int nz = (cz + dz + p.ncell) % p.ncell;
        int c = (nz * p.ncell + ny) * p.ncell + nx;
        int n = min(count[c], CELL_CAP);
        for (int k = 0; k < n; ++k) {
            int j = slots[c * CELL_CAP + k];
            if (j == i) continue;
            float4 rj = pos[j];
            float ddx = ri.x - rj.x, ddy = ri.y - rj.y, ddz = ri.z - rj.z;
            ddx -= p.box * rintf(ddx / p.box);
            ddy -= p.box * rintf(ddy / p.box);
            ddz -= p.box * rintf(ddz / p.box);
            float r2 = ddx * ddx + ddy * ddy + ddz * ddz;
            if (r2 < p.rc2) {
                float r = sqrtf(r2);
                float sr6 = pow(p.sigma / r, 6.0);
                float ff = 24.0f * p.epsilon * (2.0f * sr6 * sr6 - sr6) / r2;
                fx[i] += ff * ddx;
                fy[i] += ff * ddy;
                fz[i] += ff * ddz;
                pe[i] += 2.0f * p.epsilon * (sr6 * sr6 - sr6);
            }
        }
    }
}

__global__ void integrate(float4 *pos, float4 *vel, const float *fx, const float *fy,
                          const float *fz, SimParams p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.natoms) return;
    float4 r = pos[i], v = vel[i];
    v.x += p.dt * fx[i]; v.y += p.dt * fy[i]; v.z += p.dt * fz[i];
    r.x += p.dt * v.x; r.y += p.dt * v.y; r.z += p.dt * v.z;
    if (r.x < 0) r.x += p.box; else if (r.x >= p.box) r.x -= p.box;
    if (r.y < 0) r.y += p.box; else if (r.y >= p.box) r.y -= p.box;
    if (r.z < 0) r.z += p.box; else if (r.z >= p.box) r.z -= p.box;
    pos[i] = r; vel[i] = v;
}

int main(int argc, char *argv[])
{
    const int ncell = argc > 1 ? std::atoi(argv[1]) : 16;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 20;
    SimParams p;
    p.ncell = ncell; p.sigma = 1.0f; p.epsilon = 1.0f; p.cellSize = 2.5f;
    p.box = p.cellSize * ncell; p.rc2 = 6.25f; p.dt = 1e-4f;
    p.natoms = ncell * ncell * ncell * 16;

    std::vector<float4> hpos(p.natoms);
    std::mt19937 rng(12345);
    std::uniform_real_distribution<float> U(0.f, p.box);
    for (auto &r : hpos) r = make_float4(U(rng), U(rng), U(rng), 0.f);

    float4 *pos, *vel; float *fx, *fy, *fz, *pe; int *count, *slots;
    const int cells = ncell * ncell * ncell;
    GPU(cudaMalloc(&pos, p.natoms * sizeof(float4)));
    GPU(cudaMalloc(&vel, p.natoms * sizeof(float4)));
    GPU(cudaMalloc(&fx, p.natoms * sizeof(float)));
    GPU(cudaMalloc(&fy, p.natoms * sizeof(float)));
    GPU(cudaMalloc(&fz, p.natoms * sizeof(float)));
    GPU(cudaMalloc(&pe, p.natoms * sizeof(float)));
    GPU(cudaMalloc(&count, cells * sizeof(int)));
    GPU(cudaMalloc(&slots, cells * CELL_CAP * sizeof(int)));
    GPU(cudaMemcpy(pos, hpos.data(), p.natoms * sizeof(float4), cudaMemcpyHostToDevice));
    GPU(cudaMemset(vel, 0, p.natoms * sizeof(float4)));

    cudaEvent_t e0, e1;
    GPU(cudaEventCreate(&e0)); GPU(cudaEventCreate(&e1));
    const int B = 128, G = (p.natoms + B - 1) / B;
    GPU(cudaEventRecord(e0));
    for (int s = 0; s < steps; ++s) {
        clearCells<<<(cells + B - 1) / B, B>>>(count, cells);
        binAtoms<<<G, B>>>(pos, count, slots, p);
        computeForces<<<G, B>>>(pos, count, slots, fx, fy, fz, pe, p);
        integrate<<<G, B>>>(pos, vel, fx, fy, fz, p);
    }
    GPU(cudaEventRecord(e1));
    GPU(cudaEventSynchronize(e1));
    float ms; GPU(cudaEventElapsedTime(&ms, e0, e1));

    std::vector<float> hpe(p.natoms);
    GPU(cudaMemcpy(hpe.data(), pe, p.natoms * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0; for (float x : hpe) sum += x;
    std::printf("atoms %d  steps %d  %.3f ms/step  checksum(pe) %e  %s\n", p.natoms, steps,
                ms / steps, sum, std::isnan(sum) ? "FAIL" : "OK");
    return 0;
}
