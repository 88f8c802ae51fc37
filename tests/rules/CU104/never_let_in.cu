// A value of each body's own lets it in, and no run has one that does: which lanes come, data decide.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void drift(Body *bodies, const float *heat, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && __sinf(heat[i]) > 1.5f) {
        bodies[i].x += dt * bodies[i].vx;  // undecided: CU104 (invented data decides) "which lanes of a warp"; CU104 (invented data decides)
        bodies[i].y += dt * bodies[i].vy;  // undecided: CU104 (invented data decides) "which lanes of a warp"; CU104 (invented data decides)
    }
}

// One value lets all in: no lane goes another way than its neighbours.
__global__ void drift_all(Body *bodies, const float *heat, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && __sinf(heat[0]) > 1.5f) {
        bodies[i].x += dt * bodies[i].vx;  // expect: CU104 "not reached by the simulation; proved"
        bodies[i].y += dt * bodies[i].vy;  // also: CU104
    }
}

void launch(Body *bodies, const float *heat)
{
    drift<<<4096, 256>>>(bodies, heat, 0.1f, 1 << 20);
    drift_all<<<4096, 256>>>(bodies, heat, 0.1f, 1 << 20);
}
