// A D2Q9 lattice-Boltzmann step on 128 x 128 nodes with periodic boundaries: 512 threads a block, 32
// blocks, 17 fields (Horga et al., Table 3). The fields are nine distributions, plane by plane,
// f[direction][node], and those of the eight moving directions after the step; what rests is
// renewed in place. A node pulls the nine distributions that stream into it, and relaxes them (BGK).
//
// `basic` reads a distribution from memory wherever it needs it, and sums them up anew for each
// direction. V1 sums them up once, and reads each once a loop into a register. V2 fuses the loops
// that read.
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

// Where a direction's new distribution goes.
__device__ float *place(float *f, float *next, int direction, int node)
{
    return direction ? next + (direction - 1) * NODES + node : f + node;
}

__global__ void lbm_basic(float *f, float *next, float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = 8; i >= 0; i--) {
        float mass = 0.0f, x = 0.0f, y = 0.0f;
        for (int j = 0; j < 9; j++)
            mass += f[upwind(node, j)];
        for (int j = 0; j < 9; j++) {
            x += cx[j] * f[upwind(node, j)] / mass;
            y += cy[j] * f[upwind(node, j)] / mass;
        }
        float moved = equilibrium(i, mass, x, y);
        *place(f, next, i, node) = f[upwind(node, i)] + omega * (moved - f[upwind(node, i)]);
    }
}

__global__ void lbm_v1(float *f, float *next, float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    float mass = 0.0f, x = 0.0f, y = 0.0f;

    for (int i = 0; i < 9; i++)
        mass += f[upwind(node, i)];
    for (int i = 0; i < 9; i++) {
        float pulled = f[upwind(node, i)];
        x += cx[i] * pulled / mass;
        y += cy[i] * pulled / mass;
    }
    for (int i = 8; i >= 0; i--) {
        float pulled = f[upwind(node, i)];
        *place(f, next, i, node) = pulled + omega * (equilibrium(i, mass, x, y) - pulled);
    }
}

__global__ void lbm_v2(float *f, float *next, float omega)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    float mass = 0.0f, x = 0.0f, y = 0.0f, pulled[9];

    for (int i = 0; i < 9; i++) {
        pulled[i] = f[upwind(node, i)];
        mass += pulled[i];
        x += cx[i] * pulled[i];
        y += cy[i] * pulled[i];
    }
    x /= mass;
    y /= mass;
    for (int i = 8; i >= 0; i--)
        *place(f, next, i, node) = pulled[i] + omega * (equilibrium(i, mass, x, y) - pulled[i]);
}
