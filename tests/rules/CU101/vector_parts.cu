// Where elements are declared as vectors, a kernel that asks for a part cannot lay them out anew.

__global__ void densities(float *out, const float4 *state, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = state[i].w;  // undecided: CU101 (the rule's own) "pairs or vectors"
}

// So it is where data pick the elements, and only one branch comes to the other part.
__global__ void bounds(int2 *range, const int *cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i == 0 || cell[i - 1] != cell[i])
        range[cell[i]].x = i;  // undecided: CU101 (the rule's own) "pairs or vectors"
    if (i == n - 1)
        range[cell[i]].y = n;
}

// Pieces of a structure of its own are the program's to lay out.
struct Body {
    float x, y, z, mass;
};

__global__ void masses(float *out, const Body *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = bodies[i].mass;  // expect: CU101 "16 sectors"
}

void launch(float *out, const float4 *state, int2 *range, const int *cell, const Body *bodies)
{
    densities<<<4096, 256>>>(out, state, 1 << 20);
    bounds<<<4096, 256>>>(range, cell, 1 << 20);
    masses<<<4096, 256>>>(out, bodies, 1 << 20);
}
