// What stands in for cuRAND's device functions.
#include <curand_kernel.h>

extern "C" __global__ void philox(unsigned *numbers, long long seed, long long sequence, long long offset)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 10; i++) numbers[i] = curand(&state);
    uint4 four = curand4(&state);
    numbers[10] = four.x, numbers[11] = four.y, numbers[12] = four.z, numbers[13] = four.w;
}

extern "C" __global__ void xorwow(unsigned *states, unsigned *numbers)
{
    int i = threadIdx.x;
    curandState state;
    curand_init(1234, i, 0, &state);
    states[6 * i] = state.d;
    for (int k = 0; k < 5; k++) states[6 * i + 1 + k] = state.v[k];
    for (int k = 0; k < 4; k++) numbers[4 * i + k] = curand(&state);
}

extern "C" __global__ void mrg32k3a(unsigned *numbers)
{
    curandStateMRG32k3a state;
    for (int i = 0; i < 3; i++) state.s1[i] = state.s2[i] = 12345;
    for (int i = 0; i < 3; i++) numbers[i] = curand(&state);
}

extern "C" __global__ void sobol(unsigned *vectors, unsigned *numbers)
{
    curandStateSobol32 state;
    curand_init(vectors, threadIdx.x, &state);
    numbers[threadIdx.x] = curand(&state);
}

template <class State>
__device__ void distributions(float *uniform, float *normal, double *wide, int i)
{
    State state;
    curand_init(99, i, 0, &state);
    uniform[i] = curand_uniform(&state);
    normal[2 * i] = curand_normal(&state);
    normal[2 * i + 1] = curand_normal(&state);
    wide[i] = curand_uniform_double(&state);
}

extern "C" __global__ void distributed(float *uniform, float *normal, double *wide, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (which == 0) distributions<curandState>(uniform, normal, wide, i);
    if (which == 1) distributions<curandStatePhilox4_32_10_t>(uniform, normal, wide, i);
    if (which == 2) distributions<curandStateMRG32k3a>(uniform, normal, wide, i);
}

extern "C" __global__ void poisson(unsigned *few, unsigned *many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(7, i, 0, &state);
    few[i] = curand_poisson(&state, 2.5);
    many[i] = curand_poisson(&state, 400.0);
}
