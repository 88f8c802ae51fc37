// The block's extents come out of sight: the one that is assumed has no axis that nothing reads.
void set_extents(dim3 *extents, int x, int y, int z);

struct Particle { float x, y, z, vx, vy, vz, mass, charge, state; };

__global__ void advance(Particle *particles, int n, float dt)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n)
        particles[i].x += dt * particles[i].vx;  // expect: CU104  // also: CU104
}

void launch(Particle *particles, int n, float dt)
{
    dim3 grid, block;
    set_extents(&grid, n / 256, 1, 1);
    set_extents(&block, 256, 1, 1);
    advance<<<grid, block>>>(particles, n, dt);
}

__global__ void mark(int *state, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n)
        state[9 * i] = 1;  // expect: CU101
}

void launch_mark(int *state, int n)
{
    dim3 grid, block;
    set_extents(&grid, n / 256, 1, 1);
    set_extents(&block, 256, 1, 1);
    mark<<<grid, block>>>(state, n);
}

// An axis between two that are read is assumed all the same.
__global__ void by_slices(Particle *particles, int *state, int n)
{
    int i = threadIdx.x + blockDim.x * (threadIdx.z + blockDim.z * blockIdx.x);
    if (i < n) {
        particles[i].mass = 1.0f;  // undecided: CU104 (assumed block) "does not read threadIdx.y"
        particles[i].charge = 2.0f;  // undecided: CU104 (assumed block)
        state[9 * i] = 1;  // undecided: CU101 (assumed block) "does not read threadIdx.y"
    }
}

void launch_slices(Particle *particles, int *state, int n)
{
    dim3 grid, block;
    set_extents(&grid, n / 256, 1, 1);
    set_extents(&block, 64, 1, 4);
    by_slices<<<grid, block>>>(particles, state, n);
}
