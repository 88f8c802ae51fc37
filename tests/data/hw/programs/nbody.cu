#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 128
#define SOFT 1e-3f

typedef struct { float x, y, z, m; } body_t;
typedef struct { float pos[3]; float vel[3]; int id; } particle_t;

extern "C" __global__ void forces(const float4 *p, float *ax, float *ay, float *az, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = p[i];
    float fx = 0.f, fy = 0.f, fz = 0.f;
    for (int t = 0; t < n / TILE; t++) {
        tile[threadIdx.x] = p[t * TILE + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float4 o = tile[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float d2 = dx * dx + dy * dy + dz * dz + SOFT;
            float inv = 1.0 / sqrt(d2 * d2 * d2);
            fx += o.w * dx * inv;
            fy += o.w * dy * inv;
            fz += o.w * dz * inv;
        }
        __syncthreads();
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
}

extern "C" __global__ void integrate(particle_t *q, float4 *p, const float *ax, const float *ay,
                                     const float *az, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a[3] = { ax[i], ay[i], az[i] };
    for (int d = 0; d < 3; d++) {
        q[i].vel[d] += a[d] * dt;
        q[i].pos[d] += q[i].vel[d] * dt;
    }
    p[i] = make_float4(q[i].pos[0], q[i].pos[1], q[i].pos[2], p[i].w);
}

extern "C" __global__ void energy(const float4 *p, const particle_t *q, float *e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v2 = pow(q[i].vel[0], 2) + pow(q[i].vel[1], 2) + pow(q[i].vel[2], 2);
    atomicAdd(e, 0.5f * p[i].w * v2);
}

static void cpu_forces(const body_t *b, float *ax, float *ay, float *az, int n)
{
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0, z = 0;
        for (int j = 0; j < n; j++) {
            double dx = b[j].x - b[i].x, dy = b[j].y - b[i].y, dz = b[j].z - b[i].z;
            double r = dx * dx + dy * dy + dz * dz + SOFT;
            double inv = 1.0 / sqrt(r * r * r);
            x += b[j].m * dx * inv; y += b[j].m * dy * inv; z += b[j].m * dz * inv;
        }
        ax[i] = x; ay[i] = y; az[i] = z;
    }
}

int main(int argc, char **argv)
{
    int n = 8192, iters = 20;
    for (int i = 1; i < argc - 1; i++) {
        if (!strcmp(argv[i], "-n")) n = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "-i")) iters = atoi(argv[i + 1]);
    }
    n = (n + TILE - 1) / TILE * TILE;
    body_t *b = (body_t *)malloc(n * sizeof(body_t));
    particle_t *q = (particle_t *)calloc(n, sizeof(particle_t));
    srand(7);
    for (int i = 0; i < n; i++) {
        b[i].x = q[i].pos[0] = rand() / (float)RAND_MAX;
        b[i].y = q[i].pos[1] = rand() / (float)RAND_MAX;
        b[i].z = q[i].pos[2] = rand() / (float)RAND_MAX;
        b[i].m = 1.0f / n;
        q[i].id = i;
    }
    float4 *dp; particle_t *dq; float *ax, *ay, *az, *de;
    size_t fb = n * sizeof(float);
    cudaMalloc((void **)&dp, n * sizeof(float4));
    cudaMalloc((void **)&dq, n * sizeof(particle_t));
    cudaMalloc((void **)&ax, fb); cudaMalloc((void **)&ay, fb); cudaMalloc((void **)&az, fb);
    cudaMalloc((void **)&de, sizeof(float));
    cudaMemcpy(dp, b, n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q, n * sizeof(particle_t), cudaMemcpyHostToDevice);

    forces<<<n / TILE, TILE>>>(dp, ax, ay, az, n);
    float *hx = (float *)malloc(fb), *rx = (float *)malloc(fb), *ry = (float *)malloc(fb), *rz = (float *)malloc(fb);
    cudaMemcpy(hx, ax, fb, cudaMemcpyDeviceToHost);
    cpu_forces(b, rx, ry, rz, n);
    int bad = 0;
    for (int i = 0; i < n; i++) if (fabs(hx[i] - rx[i]) > 1e-2 * (1 + fabs(rx[i]))) bad++;
    printf("%s\n", bad ? "FAIL" : "PASS");

    cudaEvent_t s, e;
    cudaEventCreate(&s); cudaEventCreate(&e);
    cudaEventRecord(s);
    for (int it = 0; it < iters; it++) {
        forces<<<n / TILE, TILE>>>(dp, ax, ay, az, n);
        integrate<<<(n + 255) / 256, 256>>>(dq, dp, ax, ay, az, 1e-4f, n);
        cudaMemsetAsync(de, 0, sizeof(float));
        energy<<<(n + 255) / 256, 256>>>(dp, dq, de, n);
    }
    cudaEventRecord(e);
    cudaEventSynchronize(e);
    float ms; cudaEventElapsedTime(&ms, s, e);
    float he; cudaMemcpy(&he, de, 4, cudaMemcpyDeviceToHost);
    printf("%d bodies, %.3f ms/iter, kinetic %g\n", n, ms / iters, he);
    return bad != 0;
}
