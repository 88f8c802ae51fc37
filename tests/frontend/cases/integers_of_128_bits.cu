// kernels: fold reduce sized
// Device code has the host compiler's 128-bit integers.
#include <cstdint>

typedef unsigned long long word;

__global__ void fold(word *hash, word key) {
    __uint128_t product = (__uint128_t)hash[threadIdx.x] * key;
    hash[threadIdx.x] = (word)product ^ (word)(product >> 64);
}

__device__ word times(word a, word b, word modulus) { return (unsigned __int128)a * b % modulus; }

__global__ void reduce(word *x, word modulus) { x[threadIdx.x] = times(x[threadIdx.x], 3, modulus); }

#ifdef __SIZEOF_INT128__
__global__ void sized(__int128 *x) { x[threadIdx.x] += __SIZEOF_INT128__; }
#endif
