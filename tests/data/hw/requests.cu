// Accesses of each width at one pattern a line: `requests.tsv` has what an H200 counted of each.
// Every index is below 1024 elements of 16 bytes at most, and none depends on data.

#include <cstdio>

__device__ unsigned bits(unsigned char v) { return v; }
__device__ unsigned bits(unsigned short v) { return v; }
__device__ unsigned bits(unsigned v) { return v; }
__device__ unsigned bits(uint2 v) { return v.x ^ v.y; }
__device__ unsigned bits(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

template <typename T> __device__ T made(unsigned v);
template <> __device__ unsigned char made(unsigned v) { return v; }
template <> __device__ unsigned short made(unsigned v) { return v; }
template <> __device__ unsigned made(unsigned v) { return v; }
template <> __device__ uint2 made(unsigned v) { return make_uint2(v, v); }
template <> __device__ uint4 made(unsigned v) { return make_uint4(v, v, v, v); }

struct Point { float x, y, z; };
struct Body { float mass, position[3], velocity; };
struct __align__(16) Cell { float of[16]; };

template <typename T>
__global__ void load_global(unsigned *out, const T *__restrict__ in)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    unsigned sum = 0;
    sum ^= bits(in[t]);
    sum ^= bits(in[t / 2]);
    sum ^= bits(in[t / 4]);
    sum ^= bits(in[t / 8]);
    sum ^= bits(in[t / 16]);
    sum ^= bits(in[0]);
    sum ^= bits(in[t & 15]);
    sum ^= bits(in[t & 7]);
    sum ^= bits(in[t & 3]);
    sum ^= bits(in[t ^ 1]);
    sum ^= bits(in[t ^ 2]);
    sum ^= bits(in[t ^ 31]);
    sum ^= bits(in[t & ~1]);
    sum ^= bits(in[t & ~2]);
    sum ^= bits(in[t + 1]);
    sum ^= bits(in[t + 4]);
    sum ^= bits(in[31 - (t & 31)]);
    sum ^= bits(in[t * 2]);
    sum ^= bits(in[t * 3]);
    sum ^= bits(in[t * 4]);
    sum ^= bits(in[t * 5 % 1024]);
    sum ^= bits(in[t * 8 % 1024]);
    sum ^= bits(in[t * 16 % 1024]);
    sum ^= bits(in[t * 17 % 1024]);
    sum ^= bits(in[t * 32 % 1024]);
    sum ^= bits(in[t * 33 % 1024]);
    sum ^= bits(in[(t & 1) * 16 + (t >> 1 & 15)]);
    sum ^= bits(in[(t & 3) * 8 + (t >> 2 & 7)]);
    sum ^= bits(in[(t & 7) * 4 + (t >> 3 & 3)]);
    sum ^= bits(in[(t & 15) * 2 + (t >> 4 & 1)]);
    sum ^= bits(in[(t & 1) * 512 + (t >> 1)]);
    sum ^= bits(in[(t & 3) * 64 + (t >> 2)]);
    sum ^= bits(in[t * 7 % 61]);
    sum ^= bits(in[t * 11 % 32]);
    sum ^= bits(in[t * t % 64]);
    sum ^= bits(in[(x * 16 + y) % 1024]);
    sum ^= bits(in[(x * 17 + y) % 1024]);
    sum ^= bits(in[(x * 32 + y) % 1024]);
    sum ^= bits(in[(x * 33 + y) % 1024]);
    sum ^= bits(in[y * 16 + x]);
    sum ^= bits(in[y * 17 + x]);
    out[t] = sum;
}

template <typename T>
__global__ void store_global(T *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    out[t] = made<T>(t + 0);
    __threadfence_block();
    out[t / 2] = made<T>(t + 1);
    __threadfence_block();
    out[t / 4] = made<T>(t + 2);
    __threadfence_block();
    out[t / 8] = made<T>(t + 3);
    __threadfence_block();
    out[t / 16] = made<T>(t + 4);
    __threadfence_block();
    out[0] = made<T>(t + 5);
    __threadfence_block();
    out[t & 15] = made<T>(t + 6);
    __threadfence_block();
    out[t & 7] = made<T>(t + 7);
    __threadfence_block();
    out[t & 3] = made<T>(t + 8);
    __threadfence_block();
    out[t ^ 1] = made<T>(t + 9);
    __threadfence_block();
    out[t ^ 2] = made<T>(t + 10);
    __threadfence_block();
    out[t ^ 31] = made<T>(t + 11);
    __threadfence_block();
    out[t & ~1] = made<T>(t + 12);
    __threadfence_block();
    out[t & ~2] = made<T>(t + 13);
    __threadfence_block();
    out[t + 1] = made<T>(t + 14);
    __threadfence_block();
    out[t + 4] = made<T>(t + 15);
    __threadfence_block();
    out[31 - (t & 31)] = made<T>(t + 16);
    __threadfence_block();
    out[t * 2] = made<T>(t + 17);
    __threadfence_block();
    out[t * 3] = made<T>(t + 18);
    __threadfence_block();
    out[t * 4] = made<T>(t + 19);
    __threadfence_block();
    out[t * 5 % 1024] = made<T>(t + 20);
    __threadfence_block();
    out[t * 8 % 1024] = made<T>(t + 21);
    __threadfence_block();
    out[t * 16 % 1024] = made<T>(t + 22);
    __threadfence_block();
    out[t * 17 % 1024] = made<T>(t + 23);
    __threadfence_block();
    out[t * 32 % 1024] = made<T>(t + 24);
    __threadfence_block();
    out[t * 33 % 1024] = made<T>(t + 25);
    __threadfence_block();
    out[(t & 1) * 16 + (t >> 1 & 15)] = made<T>(t + 26);
    __threadfence_block();
    out[(t & 3) * 8 + (t >> 2 & 7)] = made<T>(t + 27);
    __threadfence_block();
    out[(t & 7) * 4 + (t >> 3 & 3)] = made<T>(t + 28);
    __threadfence_block();
    out[(t & 15) * 2 + (t >> 4 & 1)] = made<T>(t + 29);
    __threadfence_block();
    out[(t & 1) * 512 + (t >> 1)] = made<T>(t + 30);
    __threadfence_block();
    out[(t & 3) * 64 + (t >> 2)] = made<T>(t + 31);
    __threadfence_block();
    out[t * 7 % 61] = made<T>(t + 32);
    __threadfence_block();
    out[t * 11 % 32] = made<T>(t + 33);
    __threadfence_block();
    out[t * t % 64] = made<T>(t + 34);
    __threadfence_block();
    out[(x * 16 + y) % 1024] = made<T>(t + 35);
    __threadfence_block();
    out[(x * 17 + y) % 1024] = made<T>(t + 36);
    __threadfence_block();
    out[(x * 32 + y) % 1024] = made<T>(t + 37);
    __threadfence_block();
    out[(x * 33 + y) % 1024] = made<T>(t + 38);
    __threadfence_block();
    out[y * 16 + x] = made<T>(t + 39);
    __threadfence_block();
    out[y * 17 + x] = made<T>(t + 40);
    __threadfence_block();
}

template <typename T>
__global__ void load_shared(unsigned *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    __shared__ T in[1024];
    for (int i = t; i < 1024; i += blockDim.x * blockDim.y)
        in[i] = made<T>(i);
    __syncthreads();
    unsigned sum = 0;
    sum ^= bits(in[t]);
    sum ^= bits(in[t / 2]);
    sum ^= bits(in[t / 4]);
    sum ^= bits(in[t / 8]);
    sum ^= bits(in[t / 16]);
    sum ^= bits(in[0]);
    sum ^= bits(in[t & 15]);
    sum ^= bits(in[t & 7]);
    sum ^= bits(in[t & 3]);
    sum ^= bits(in[t ^ 1]);
    sum ^= bits(in[t ^ 2]);
    sum ^= bits(in[t ^ 31]);
    sum ^= bits(in[t & ~1]);
    sum ^= bits(in[t & ~2]);
    sum ^= bits(in[t + 1]);
    sum ^= bits(in[t + 4]);
    sum ^= bits(in[31 - (t & 31)]);
    sum ^= bits(in[t * 2]);
    sum ^= bits(in[t * 3]);
    sum ^= bits(in[t * 4]);
    sum ^= bits(in[t * 5 % 1024]);
    sum ^= bits(in[t * 8 % 1024]);
    sum ^= bits(in[t * 16 % 1024]);
    sum ^= bits(in[t * 17 % 1024]);
    sum ^= bits(in[t * 32 % 1024]);
    sum ^= bits(in[t * 33 % 1024]);
    sum ^= bits(in[(t & 1) * 16 + (t >> 1 & 15)]);
    sum ^= bits(in[(t & 3) * 8 + (t >> 2 & 7)]);
    sum ^= bits(in[(t & 7) * 4 + (t >> 3 & 3)]);
    sum ^= bits(in[(t & 15) * 2 + (t >> 4 & 1)]);
    sum ^= bits(in[(t & 1) * 512 + (t >> 1)]);
    sum ^= bits(in[(t & 3) * 64 + (t >> 2)]);
    sum ^= bits(in[t * 7 % 61]);
    sum ^= bits(in[t * 11 % 32]);
    sum ^= bits(in[t * t % 64]);
    sum ^= bits(in[(x * 16 + y) % 1024]);
    sum ^= bits(in[(x * 17 + y) % 1024]);
    sum ^= bits(in[(x * 32 + y) % 1024]);
    sum ^= bits(in[(x * 33 + y) % 1024]);
    sum ^= bits(in[y * 16 + x]);
    sum ^= bits(in[y * 17 + x]);
    out[t] = sum;
}

template <typename T>
__global__ void store_shared(unsigned *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    __shared__ T to[1024];
    to[t] = made<T>(t + 0);
    __syncthreads();
    to[t / 2] = made<T>(t + 1);
    __syncthreads();
    to[t / 4] = made<T>(t + 2);
    __syncthreads();
    to[t / 8] = made<T>(t + 3);
    __syncthreads();
    to[t / 16] = made<T>(t + 4);
    __syncthreads();
    to[0] = made<T>(t + 5);
    __syncthreads();
    to[t & 15] = made<T>(t + 6);
    __syncthreads();
    to[t & 7] = made<T>(t + 7);
    __syncthreads();
    to[t & 3] = made<T>(t + 8);
    __syncthreads();
    to[t ^ 1] = made<T>(t + 9);
    __syncthreads();
    to[t ^ 2] = made<T>(t + 10);
    __syncthreads();
    to[t ^ 31] = made<T>(t + 11);
    __syncthreads();
    to[t & ~1] = made<T>(t + 12);
    __syncthreads();
    to[t & ~2] = made<T>(t + 13);
    __syncthreads();
    to[t + 1] = made<T>(t + 14);
    __syncthreads();
    to[t + 4] = made<T>(t + 15);
    __syncthreads();
    to[31 - (t & 31)] = made<T>(t + 16);
    __syncthreads();
    to[t * 2] = made<T>(t + 17);
    __syncthreads();
    to[t * 3] = made<T>(t + 18);
    __syncthreads();
    to[t * 4] = made<T>(t + 19);
    __syncthreads();
    to[t * 5 % 1024] = made<T>(t + 20);
    __syncthreads();
    to[t * 8 % 1024] = made<T>(t + 21);
    __syncthreads();
    to[t * 16 % 1024] = made<T>(t + 22);
    __syncthreads();
    to[t * 17 % 1024] = made<T>(t + 23);
    __syncthreads();
    to[t * 32 % 1024] = made<T>(t + 24);
    __syncthreads();
    to[t * 33 % 1024] = made<T>(t + 25);
    __syncthreads();
    to[(t & 1) * 16 + (t >> 1 & 15)] = made<T>(t + 26);
    __syncthreads();
    to[(t & 3) * 8 + (t >> 2 & 7)] = made<T>(t + 27);
    __syncthreads();
    to[(t & 7) * 4 + (t >> 3 & 3)] = made<T>(t + 28);
    __syncthreads();
    to[(t & 15) * 2 + (t >> 4 & 1)] = made<T>(t + 29);
    __syncthreads();
    to[(t & 1) * 512 + (t >> 1)] = made<T>(t + 30);
    __syncthreads();
    to[(t & 3) * 64 + (t >> 2)] = made<T>(t + 31);
    __syncthreads();
    to[t * 7 % 61] = made<T>(t + 32);
    __syncthreads();
    to[t * 11 % 32] = made<T>(t + 33);
    __syncthreads();
    to[t * t % 64] = made<T>(t + 34);
    __syncthreads();
    to[(x * 16 + y) % 1024] = made<T>(t + 35);
    __syncthreads();
    to[(x * 17 + y) % 1024] = made<T>(t + 36);
    __syncthreads();
    to[(x * 32 + y) % 1024] = made<T>(t + 37);
    __syncthreads();
    to[(x * 33 + y) % 1024] = made<T>(t + 38);
    __syncthreads();
    to[y * 16 + x] = made<T>(t + 39);
    __syncthreads();
    to[y * 17 + x] = made<T>(t + 40);
    __syncthreads();
    out[t] = bits(to[t]);
}

template <typename T>
__global__ void load_global_by_some(unsigned *out, const T *__restrict__ in)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    unsigned sum = 0;
    if (t & 1)
        sum ^= bits(in[t + 0]);
    if (t & 1)
        sum ^= bits(in[t * 2 + 0]);
    if (t & 1)
        sum ^= bits(in[t / 2 + 0]);
    if (t & 1)
        sum ^= bits(in[t * 3 % 64 + 0]);
    if (t & 1)
        sum ^= bits(in[t * 32 % 1024 + 0]);
    if (t & 1)
        sum ^= bits(in[t ^ 1 + 0]);
    if (t < 7)
        sum ^= bits(in[t + 64]);
    if (t < 7)
        sum ^= bits(in[t * 2 + 64]);
    if (t < 7)
        sum ^= bits(in[t / 2 + 64]);
    if (t < 7)
        sum ^= bits(in[t * 3 % 64 + 64]);
    if (t < 7)
        sum ^= bits(in[t * 32 % 1024 + 64]);
    if (t < 7)
        sum ^= bits(in[t ^ 1 + 64]);
    if ((t & 31) < 16)
        sum ^= bits(in[t + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 2 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t / 2 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 3 % 64 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 32 % 1024 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t ^ 1 + 128]);
    if ((t & 31) == 5)
        sum ^= bits(in[t + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 2 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t / 2 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 3 % 64 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 32 % 1024 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t ^ 1 + 192]);
    if (t & 4)
        sum ^= bits(in[t + 256]);
    if (t & 4)
        sum ^= bits(in[t * 2 + 256]);
    if (t & 4)
        sum ^= bits(in[t / 2 + 256]);
    if (t & 4)
        sum ^= bits(in[t * 3 % 64 + 256]);
    if (t & 4)
        sum ^= bits(in[t * 32 % 1024 + 256]);
    if (t & 4)
        sum ^= bits(in[t ^ 1 + 256]);
    if ((t & 31) > 27)
        sum ^= bits(in[t + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 2 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t / 2 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 3 % 64 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 32 % 1024 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t ^ 1 + 320]);
    out[t] = sum;
}

template <typename T>
__global__ void load_shared_by_some(unsigned *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    __shared__ T in[2048];
    for (int i = t; i < 1024; i += blockDim.x * blockDim.y)
        in[i] = in[i + 1024] = made<T>(i);
    __syncthreads();
    unsigned sum = 0;
    if (t & 1)
        sum ^= bits(in[t + 0]);
    if (t & 1)
        sum ^= bits(in[t * 2 + 0]);
    if (t & 1)
        sum ^= bits(in[t / 2 + 0]);
    if (t & 1)
        sum ^= bits(in[t * 3 % 64 + 0]);
    if (t & 1)
        sum ^= bits(in[t * 32 % 1024 + 0]);
    if (t & 1)
        sum ^= bits(in[t ^ 1 + 0]);
    if (t < 7)
        sum ^= bits(in[t + 64]);
    if (t < 7)
        sum ^= bits(in[t * 2 + 64]);
    if (t < 7)
        sum ^= bits(in[t / 2 + 64]);
    if (t < 7)
        sum ^= bits(in[t * 3 % 64 + 64]);
    if (t < 7)
        sum ^= bits(in[t * 32 % 1024 + 64]);
    if (t < 7)
        sum ^= bits(in[t ^ 1 + 64]);
    if ((t & 31) < 16)
        sum ^= bits(in[t + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 2 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t / 2 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 3 % 64 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t * 32 % 1024 + 128]);
    if ((t & 31) < 16)
        sum ^= bits(in[t ^ 1 + 128]);
    if ((t & 31) == 5)
        sum ^= bits(in[t + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 2 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t / 2 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 3 % 64 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t * 32 % 1024 + 192]);
    if ((t & 31) == 5)
        sum ^= bits(in[t ^ 1 + 192]);
    if (t & 4)
        sum ^= bits(in[t + 256]);
    if (t & 4)
        sum ^= bits(in[t * 2 + 256]);
    if (t & 4)
        sum ^= bits(in[t / 2 + 256]);
    if (t & 4)
        sum ^= bits(in[t * 3 % 64 + 256]);
    if (t & 4)
        sum ^= bits(in[t * 32 % 1024 + 256]);
    if (t & 4)
        sum ^= bits(in[t ^ 1 + 256]);
    if ((t & 31) > 27)
        sum ^= bits(in[t + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 2 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t / 2 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 3 % 64 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t * 32 % 1024 + 320]);
    if ((t & 31) > 27)
        sum ^= bits(in[t ^ 1 + 320]);
    out[t] = sum;
}

__global__ void add_global(unsigned *to)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    atomicAdd(&to[t], t);
    atomicAdd(&to[t / 2], t);
    atomicAdd(&to[t / 4], t);
    atomicAdd(&to[t / 8], t);
    atomicAdd(&to[t / 16], t);
    atomicAdd(&to[0], t);
    atomicAdd(&to[t & 15], t);
    atomicAdd(&to[t & 7], t);
    atomicAdd(&to[t & 1], t);
    atomicAdd(&to[t * 2], t);
    atomicAdd(&to[t * 4], t);
    atomicAdd(&to[t * 8 % 1024], t);
    atomicAdd(&to[t * 17 % 1024], t);
    atomicAdd(&to[t * 32 % 1024], t);
    atomicAdd(&to[t * 33 % 1024], t);
    atomicAdd(&to[t * 7 % 61], t);
    atomicAdd(&to[t * t % 64], t);
}

__global__ void fetch_global(unsigned *out, unsigned *to)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    unsigned sum = 0;
    sum ^= atomicAdd(&to[t], t);
    sum ^= atomicAdd(&to[t / 2], t);
    sum ^= atomicAdd(&to[t / 4], t);
    sum ^= atomicAdd(&to[t / 8], t);
    sum ^= atomicAdd(&to[t / 16], t);
    sum ^= atomicAdd(&to[0], t);
    sum ^= atomicAdd(&to[t & 15], t);
    sum ^= atomicAdd(&to[t & 7], t);
    sum ^= atomicAdd(&to[t & 1], t);
    sum ^= atomicAdd(&to[t * 2], t);
    sum ^= atomicAdd(&to[t * 4], t);
    sum ^= atomicAdd(&to[t * 8 % 1024], t);
    sum ^= atomicAdd(&to[t * 17 % 1024], t);
    sum ^= atomicAdd(&to[t * 32 % 1024], t);
    sum ^= atomicAdd(&to[t * 33 % 1024], t);
    sum ^= atomicAdd(&to[t * 7 % 61], t);
    sum ^= atomicAdd(&to[t * t % 64], t);
    out[t] = sum;
}

__global__ void add_shared(unsigned *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    __shared__ unsigned to[1024];
    for (int i = t; i < 1024; i += blockDim.x * blockDim.y)
        to[i] = i;
    __syncthreads();
    atomicAdd(&to[t], t);
    atomicAdd(&to[t / 2], t);
    atomicAdd(&to[t / 4], t);
    atomicAdd(&to[t / 8], t);
    atomicAdd(&to[t / 16], t);
    atomicAdd(&to[0], t);
    atomicAdd(&to[t & 15], t);
    atomicAdd(&to[t & 7], t);
    atomicAdd(&to[t & 1], t);
    atomicAdd(&to[t * 2], t);
    atomicAdd(&to[t * 4], t);
    atomicAdd(&to[t * 8 % 1024], t);
    atomicAdd(&to[t * 17 % 1024], t);
    atomicAdd(&to[t * 32 % 1024], t);
    atomicAdd(&to[t * 33 % 1024], t);
    atomicAdd(&to[t * 7 % 61], t);
    atomicAdd(&to[t * t % 64], t);
    __syncthreads();
    out[t] = to[t];
}

__global__ void fetch_shared(unsigned *out)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    __shared__ unsigned to[1024];
    for (int i = t; i < 1024; i += blockDim.x * blockDim.y)
        to[i] = i;
    __syncthreads();
    unsigned sum = 0;
    sum ^= atomicAdd(&to[t], t);
    sum ^= atomicAdd(&to[t / 2], t);
    sum ^= atomicAdd(&to[t / 4], t);
    sum ^= atomicAdd(&to[t / 8], t);
    sum ^= atomicAdd(&to[t / 16], t);
    sum ^= atomicAdd(&to[0], t);
    sum ^= atomicAdd(&to[t & 15], t);
    sum ^= atomicAdd(&to[t & 7], t);
    sum ^= atomicAdd(&to[t & 1], t);
    sum ^= atomicAdd(&to[t * 2], t);
    sum ^= atomicAdd(&to[t * 4], t);
    sum ^= atomicAdd(&to[t * 8 % 1024], t);
    sum ^= atomicAdd(&to[t * 17 % 1024], t);
    sum ^= atomicAdd(&to[t * 32 % 1024], t);
    sum ^= atomicAdd(&to[t * 33 % 1024], t);
    sum ^= atomicAdd(&to[t * 7 % 61], t);
    sum ^= atomicAdd(&to[t * t % 64], t);
    out[t] = sum;
}

__global__ void fields(float *out, const Point *points, const Body *bodies, const Cell *cells)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    float sum = 0;
    sum += points[t].x;
    sum += points[t].y + points[t].z;
    sum += bodies[t].mass;
    sum += bodies[t].position[1];
    sum += bodies[t].velocity;
    sum += cells[t].of[0];
    sum += cells[t].of[3] + cells[t].of[5];
    sum += cells[t / 2].of[8 + (t & 1)];
    sum += cells[t].of[t & 15];
    out[t] = sum;
}

__global__ void rows(float *out, const float *a, int pitch)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    float sum = 0;
    sum += a[y * pitch + x];
    sum += a[x * pitch + y];
    sum += a[(y + 1) * pitch + x + 1];
    sum += a[y * (pitch + 1) + x];
    sum += a[x * (pitch + 1) + y];
    out[t] = sum;
}

__global__ void on_the_stack(unsigned *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    unsigned a[64];
    for (int i = 0; i < 64; ++i)
        a[i] = t * i + n;
    unsigned sum = 0;
    sum ^= a[n & 63];
    sum ^= a[t & 63];
    sum ^= a[t * 3 & 63];
    sum ^= a[(t / 2) & 63];
    out[t] = sum;
}

__global__ void part_filled(unsigned *out, const unsigned *in, int n)
{
    int x = threadIdx.x, y = threadIdx.y, t = y * blockDim.x + x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= n)
        return;
    unsigned v = in[i];
    if (v & 1)
        v = v * 3 + in[v & 255];
    for (int k = 0; k < (t & 7); ++k)
        v ^= in[v + k & 255];
    out[i] = v;
}

int main()
{
    unsigned *out;
    void *in;
    cudaMalloc(&out, 1 << 16);
    cudaMalloc(&in, 1 << 20);
    cudaMemset(in, 0, 1 << 20);
    load_global<unsigned char><<<1, 64>>>(out, (const unsigned char *)in);
    store_global<unsigned char><<<1, 64>>>((unsigned char *)in);
    load_shared<unsigned char><<<1, 64>>>(out);
    store_shared<unsigned char><<<1, 64>>>(out);
    load_global<unsigned char><<<1, dim3(16, 16)>>>(out, (const unsigned char *)in);
    store_global<unsigned char><<<1, dim3(16, 16)>>>((unsigned char *)in);
    load_shared<unsigned char><<<1, dim3(16, 16)>>>(out);
    store_shared<unsigned char><<<1, dim3(16, 16)>>>(out);
    load_global_by_some<unsigned char><<<1, 64>>>(out, (const unsigned char *)in);
    load_shared_by_some<unsigned char><<<1, 64>>>(out);
    load_global<unsigned short><<<1, 64>>>(out, (const unsigned short *)in);
    store_global<unsigned short><<<1, 64>>>((unsigned short *)in);
    load_shared<unsigned short><<<1, 64>>>(out);
    store_shared<unsigned short><<<1, 64>>>(out);
    load_global<unsigned short><<<1, dim3(16, 16)>>>(out, (const unsigned short *)in);
    store_global<unsigned short><<<1, dim3(16, 16)>>>((unsigned short *)in);
    load_shared<unsigned short><<<1, dim3(16, 16)>>>(out);
    store_shared<unsigned short><<<1, dim3(16, 16)>>>(out);
    load_global_by_some<unsigned short><<<1, 64>>>(out, (const unsigned short *)in);
    load_shared_by_some<unsigned short><<<1, 64>>>(out);
    load_global<unsigned><<<1, 64>>>(out, (const unsigned *)in);
    store_global<unsigned><<<1, 64>>>((unsigned *)in);
    load_shared<unsigned><<<1, 64>>>(out);
    store_shared<unsigned><<<1, 64>>>(out);
    load_global<unsigned><<<1, dim3(16, 16)>>>(out, (const unsigned *)in);
    store_global<unsigned><<<1, dim3(16, 16)>>>((unsigned *)in);
    load_shared<unsigned><<<1, dim3(16, 16)>>>(out);
    store_shared<unsigned><<<1, dim3(16, 16)>>>(out);
    load_global_by_some<unsigned><<<1, 64>>>(out, (const unsigned *)in);
    load_shared_by_some<unsigned><<<1, 64>>>(out);
    load_global<uint2><<<1, 64>>>(out, (const uint2 *)in);
    store_global<uint2><<<1, 64>>>((uint2 *)in);
    load_shared<uint2><<<1, 64>>>(out);
    store_shared<uint2><<<1, 64>>>(out);
    load_global<uint2><<<1, dim3(16, 16)>>>(out, (const uint2 *)in);
    store_global<uint2><<<1, dim3(16, 16)>>>((uint2 *)in);
    load_shared<uint2><<<1, dim3(16, 16)>>>(out);
    store_shared<uint2><<<1, dim3(16, 16)>>>(out);
    load_global_by_some<uint2><<<1, 64>>>(out, (const uint2 *)in);
    load_shared_by_some<uint2><<<1, 64>>>(out);
    load_global<uint4><<<1, 64>>>(out, (const uint4 *)in);
    store_global<uint4><<<1, 64>>>((uint4 *)in);
    load_shared<uint4><<<1, 64>>>(out);
    store_shared<uint4><<<1, 64>>>(out);
    load_global<uint4><<<1, dim3(16, 16)>>>(out, (const uint4 *)in);
    store_global<uint4><<<1, dim3(16, 16)>>>((uint4 *)in);
    load_shared<uint4><<<1, dim3(16, 16)>>>(out);
    store_shared<uint4><<<1, dim3(16, 16)>>>(out);
    load_global_by_some<uint4><<<1, 64>>>(out, (const uint4 *)in);
    load_shared_by_some<uint4><<<1, 64>>>(out);
    add_global<<<1, 64>>>((unsigned *)in);
    fetch_global<<<1, 64>>>(out, (unsigned *)in);
    add_shared<<<1, 64>>>(out);
    fetch_shared<<<1, 64>>>(out);
    fields<<<1, 64>>>((float *)out, (const Point *)in, (const Body *)in, (const Cell *)in);
    rows<<<1, 64>>>((float *)out, (const float *)in, 96);
    on_the_stack<<<1, 64>>>(out, 5);
    add_global<<<1, dim3(16, 16)>>>((unsigned *)in);
    fetch_global<<<1, dim3(16, 16)>>>(out, (unsigned *)in);
    add_shared<<<1, dim3(16, 16)>>>(out);
    fetch_shared<<<1, dim3(16, 16)>>>(out);
    fields<<<1, dim3(16, 16)>>>((float *)out, (const Point *)in, (const Body *)in, (const Cell *)in);
    rows<<<1, dim3(16, 16)>>>((float *)out, (const float *)in, 96);
    on_the_stack<<<1, dim3(16, 16)>>>(out, 5);
    cudaMemset(in, 0, 1 << 20);
    part_filled<<<5, 96>>>(out, (const unsigned *)in, 401);
    part_filled<<<2, dim3(24, 8)>>>(out, (const unsigned *)in, 401);
    cudaError_t failed = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(failed));
    return failed != cudaSuccess;
}
