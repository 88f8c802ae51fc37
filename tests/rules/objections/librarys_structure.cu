// The layout of cuRAND's states is cuRAND's; that of structures which hold one is the source's.
#include <curand_kernel.h>

__global__ void draw(curandState *states, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState mine = states[i];  // undecided: CU104 (a library's structure) "cuRAND's `curandState`"
    out[i] = curand_uniform(&mine);
    states[i] = mine;  // undecided: CU104 (a library's structure)
}

template <typename State, typename Vectors>
__global__ void begin(State *states, Vectors *vectors)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(vectors[0], i, &states[i]);  // undecided: CU101 (a library's code), CU501 (a library's code)
}

__global__ void quasi(curandStateSobol32 *states, float *out)  // undecided: CU101 (a library's structure)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStateSobol32 mine = states[i];  // undecided: CU101 (a library's structure)
    out[i] = curand_uniform(&mine) + curand_uniform(&mine);
}

struct Walker
{
    float x, y;
    curandState state;
};

__global__ void walk(Walker *walkers)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    walkers[i].x += 1;  // expect: CU101
}

void launch(curandState *states, curandStateSobol32 *sobol, curandDirectionVectors32_t *vectors, Walker *walkers,
            float *out)
{
    draw<<<256, 256>>>(states, out);
    begin<<<256, 256>>>(sobol, vectors);
    quasi<<<256, 256>>>(sobol, out);
    walk<<<256, 256>>>(walkers);
}
