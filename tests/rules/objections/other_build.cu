// The Makefile beside gives -DHAVE_BLOCK_SUMS unless it is asked not to.
#ifdef HAVE_BLOCK_SUMS
#include <cub/block/block_reduce.cuh>
#endif

__global__ void norm(float *sum, const float *in)
{
    float own = in[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef HAVE_BLOCK_SUMS
    typedef cub::BlockReduce<float, 256> Reduce;
    __shared__ typename Reduce::TempStorage kept;
    float all = Reduce(kept).Sum(own * own);
    if (threadIdx.x == 0)
        atomicAdd(sum, all);
#else
    atomicAdd(sum, own * own);  // undecided: CU108 (hardly launched) "gives -DHAVE_BLOCK_SUMS"
#endif
}

// What the build gives only when it is asked to, or where the source has a value of its own.
#ifndef STEP
#define STEP 1
#endif

__global__ void least(float *sum, const float *in)
{
    float own = in[(blockIdx.x * blockDim.x + threadIdx.x) * STEP];
#if !defined(HAVE_TEXTURES)
    atomicAdd(sum, own * own);  // expect: CU108
#endif
#ifndef HAVE_CHECKS
    atomicAdd(sum + 1, own);  // also: CU108
#endif
}

void launch(float *sum, const float *in)
{
    norm<<<4096, 256>>>(sum, in);
    least<<<4096, 256>>>(sum, in);
}
