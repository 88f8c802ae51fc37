// A D2Q9 lattice-Boltzmann step on 128 x 128 nodes with periodic boundaries: 512 threads a block, 32
// blocks (Horga et al., Table 3). Distributions lie plane by plane, f[direction][node]. A node pulls
// the nine distributions that stream into it, and relaxes them (BGK).
//
// `basic` reads a distribution from memory wherever it needs it: for the density, for the velocity
// and for the relaxation. V1 reads each once into a register. V2 also fuses the first loops into one.
#define WIDTH 128
#define HEIGHT 128
#define NODES (WIDTH * HEIGHT)

__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weights[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__device__ int upwind(int node, int direction)
{
    int x = (node % WIDTH - cx[direction] + WIDTH) % WIDTH;
    int y = (node / WIDTH - cy[direction] + HEIGHT) % HEIGHT;
    return direction * NODES + y * WIDTH + x;
}

__device__ float equilibrium(int direction, float density, float ux, float uy)
{
    float along = cx[direction] * ux + cy[direction] * uy;
    return weights[direction] * density *
           (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * (ux * ux + uy * uy));
}

__global__ void lbm_basic(float *out, const float *in, float *density, float *ux, float *uy,
                          float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;

    density[node] = 0.0f;
    for (int i = 0; i < 9; i++)
        density[node] += in[upwind(node, i)];
    ux[node] = 0.0f;
    uy[node] = 0.0f;
    for (int i = 0; i < 9; i++) {
        ux[node] += cx[i] * in[upwind(node, i)] / density[node];
        uy[node] += cy[i] * in[upwind(node, i)] / density[node];
    }
    for (int i = 0; i < 9; i++) {
        float moved = equilibrium(i, density[node], ux[node], uy[node]);
        out[i * NODES + node] = in[upwind(node, i)] + omega * (moved - in[upwind(node, i)]);
    }
}

__global__ void lbm_v1(float *out, const float *in, float *density, float *ux, float *uy,
                       float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    float mass = 0.0f, x = 0.0f, y = 0.0f;

    for (int i = 0; i < 9; i++)
        mass += in[upwind(node, i)];
    density[node] = mass;
    for (int i = 0; i < 9; i++) {
        float pulled = in[upwind(node, i)];
        x += cx[i] * pulled / mass;
        y += cy[i] * pulled / mass;
    }
    ux[node] = x;
    uy[node] = y;
    for (int i = 0; i < 9; i++) {
        float pulled = in[upwind(node, i)];
        out[i * NODES + node] = pulled + omega * (equilibrium(i, mass, x, y) - pulled);
    }
}

__global__ void lbm_v2(float *out, const float *in, float *density, float *ux, float *uy,
                       float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    float mass = 0.0f, x = 0.0f, y = 0.0f, pulled[9];

    for (int i = 0; i < 9; i++) {
        pulled[i] = in[upwind(node, i)];
        mass += pulled[i];
        x += cx[i] * pulled[i];
        y += cy[i] * pulled[i];
    }
    x /= mass;
    y /= mass;
    density[node] = mass;
    ux[node] = x;
    uy[node] = y;
    for (int i = 0; i < 9; i++)
        out[i * NODES + node] = pulled[i] + omega * (equilibrium(i, mass, x, y) - pulled[i]);
}
