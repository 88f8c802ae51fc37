// Rows of a tensor core's fragment: four lanes have some bytes of each.
#include <cuda_fp16.h>

__device__ void product(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void one_by_one(const uint4 *a, const uint2 *b, half *out, int columns, int turns)
{
    float d[4] = {};
    for (int k = 0; k < turns; k++) {
        uint4 mine = a[k * 128 + threadIdx.x];
        uint2 its = b[k * 128 + threadIdx.x];
        product(d, &mine.x, &its.x);
    }
    int row = blockIdx.x * 64 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    out[row * columns + column] = __float2half(d[0]);  // undecided: CU101 (the rule's own) "fragment"
}

// Column by column no two lanes have one sector, and another instruction would lay it out otherwise.
__global__ void transposed(const uint4 *a, const uint2 *b, half *out, int columns, int turns)
{
    float d[4] = {};
    for (int k = 0; k < turns; k++) {
        uint4 mine = a[k * 128 + threadIdx.x];
        uint2 its = b[k * 128 + threadIdx.x];
        product(d, &mine.x, &its.x);
    }
    int lane = blockIdx.x * 128 + threadIdx.x;
    out[lane * columns] = __float2half(d[0]);  // expect: CU101 "32 sectors per request"
}

void launch(const uint4 *a, const uint2 *b, half *out)
{
    one_by_one<<<4096, 128>>>(a, b, out, 1024, 2);
    transposed<<<4096, 128>>>(a, b, out, 1024, 2);
}
