// AES-128 in counter mode, T-table implementation.
// usage: aes_ctr <megabytes> <repeat>      (64 10)
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <cuda_runtime.h>

typedef uint8_t u8;
typedef uint32_t u32;

__constant__ u32 c_te0[256];
__constant__ u8  c_sbox[256];
__constant__ u32 c_rk[44];

static u8 h_sbox[256];
static u32 h_te0[256];
static u32 h_rk[44];

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

__global__ void ctr_encrypt(const u8 *in, u8 *out, u32 nonce, int nblocks)
{
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= nblocks) return;
  u32 s0 = nonce ^ c_rk[0], s1 = 0x01020304u ^ c_rk[1], s2 = c_rk[2], s3 = (u32)b ^ c_rk[3];
  u32 t0, t1, t2, t3;
#pragma unroll 1
  for (int r = 1; r < 10; r++) {
    t0 = c_te0[s0 >> 24] ^ ROTR(c_te0[(s1 >> 16) & 255], 8) ^ ROTR(c_te0[(s2 >> 8) & 255], 16) ^ ROTR(c_te0[s3 & 255], 24) ^ c_rk[4 * r];
    t1 = c_te0[s1 >> 24] ^ ROTR(c_te0[(s2 >> 16) & 255], 8) ^ ROTR(c_te0[(s3 >> 8) & 255], 16) ^ ROTR(c_te0[s0 & 255], 24) ^ c_rk[4 * r + 1];
    t2 = c_te0[s2 >> 24] ^ ROTR(c_te0[(s3 >> 16) & 255], 8) ^ ROTR(c_te0[(s0 >> 8) & 255], 16) ^ ROTR(c_te0[s1 & 255], 24) ^ c_rk[4 * r + 2];
    t3 = c_te0[s3 >> 24] ^ ROTR(c_te0[(s0 >> 16) & 255], 8) ^ ROTR(c_te0[(s1 >> 8) & 255], 16) ^ ROTR(c_te0[s2 & 255], 24) ^ c_rk[4 * r + 3];
    s0 = t0; s1 = t1; s2 = t2; s3 = t3;
  }
  u32 k[4];
  const u32 st[4] = {s0, s1, s2, s3};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    k[i] = ((u32)c_sbox[st[i] >> 24] << 24) | ((u32)c_sbox[(st[(i + 1) & 3] >> 16) & 255] << 16) |
           ((u32)c_sbox[(st[(i + 2) & 3] >> 8) & 255] << 8) | c_sbox[st[(i + 3) & 3] & 255];
    k[i] ^= c_rk[40 + i];
  }
#pragma unroll
  for (int i = 0; i < 16; i++)
    out[16 * b + i] = in[16 * b + i] ^ (u8)(k[i / 4] >> (24 - 8 * (i % 4)));
}

__global__ void checksum(const uint4 *__restrict__ data, unsigned long long *sum, int n)
{
  unsigned long long a = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 v = data[i];
    a += (unsigned long long)v.x + v.y + v.z + v.w;
  }
  for (int o = 16; o; o /= 2) a += __shfl_down_sync(0xffffffffu, a, o);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, a);
}

static u8 xtime(u8 x) { return (u8)((x << 1) ^ ((x >> 7) * 0x1b)); }

static void make_tables(const u8 key[16])
{
  u8 p = 1, q = 1;
  do {
    p = p ^ (u8)(p << 1) ^ ((p & 0x80) ? 0x1b : 0);
    q ^= q << 1; q ^= q << 2; q ^= q << 4;
    if (q & 0x80) q ^= 0x09;
    u8 x = q ^ (u8)((q << 1) | (q >> 7)) ^ (u8)((q << 2) | (q >> 6)) ^ (u8)((q << 3) | (q >> 5)) ^ (u8)((q << 4) | (q >> 4));
    h_sbox[p] = x ^ 0x63;
  } while (p != 1);
  h_sbox[0] = 0x63;
  for (int i = 0; i < 256; i++) {
    u8 s = h_sbox[i], s2 = xtime(s), s3 = s2 ^ s;
    h_te0[i] = ((u32)s2 << 24) | ((u32)s << 16) | ((u32)s << 8) | s3;
  }
  u8 rcon = 1;
  for (int i = 0; i < 4; i++)
    h_rk[i] = ((u32)key[4 * i] << 24) | ((u32)key[4 * i + 1] << 16) | ((u32)key[4 * i + 2] << 8) | key[4 * i + 3];
  for (int i = 4; i < 44; i++) {
    u32 t = h_rk[i - 1];
    if (i % 4 == 0) {
      t = (t << 8) | (t >> 24);
      t = ((u32)h_sbox[t >> 24] << 24) | ((u32)h_sbox[(t >> 16) & 255] << 16) | ((u32)h_sbox[(t >> 8) & 255] << 8) | h_sbox[t & 255];
      t ^= (u32)rcon << 24;
      rcon = xtime(rcon);
    }
    h_rk[i] = h_rk[i - 4] ^ t;
  }
}

int main(int argc, char **argv)
{
  int mb = 64, repeat = 10;
  if (argc == 3) { mb = atoi(argv[1]); repeat = atoi(argv[2]); }
  const size_t bytes = (size_t)mb << 20;
  const int nblocks = (int)(bytes / 16);
  const u8 key[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
  make_tables(key);
  cudaMemcpyToSymbol(c_te0, h_te0, sizeof(h_te0));
  cudaMemcpyToSymbol(c_sbox, h_sbox, sizeof(h_sbox));
  cudaMemcpyToSymbol(c_rk, h_rk, sizeof(h_rk));

  u8 *h = (u8 *)malloc(bytes), *back = (u8 *)malloc(bytes);
  for (size_t i = 0; i < bytes; i++) h[i] = (u8)(i * 31 + (i >> 8));
  u8 *a, *b; unsigned long long *sum, hsum = 0;
  cudaMalloc(&a, bytes); cudaMalloc(&b, bytes); cudaMalloc(&sum, 8);
  cudaMemset(sum, 0, 8);
  cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice);

  cudaEvent_t t0, t1;
  cudaEventCreate(&t0); cudaEventCreate(&t1);
  cudaEventRecord(t0);
  for (int r = 0; r < repeat; r++) {
    ctr_encrypt<<<(nblocks + 255) / 256, 256>>>(a, b, 0xdeadbeefu, nblocks);
    cudaMemcpy(back, b, bytes, cudaMemcpyDeviceToHost);
  }
  cudaEventRecord(t1);
  cudaEventSynchronize(t1);
  float ms; cudaEventElapsedTime(&ms, t0, t1);
  checksum<<<160, 256>>>((const uint4 *)b, sum, nblocks);
  cudaMemcpy(&hsum, sum, 8, cudaMemcpyDeviceToHost);
  ctr_encrypt<<<(nblocks + 255) / 256, 256>>>(b, a, 0xdeadbeefu, nblocks);
  cudaMemcpy(back, a, bytes, cudaMemcpyDeviceToHost);
  printf("%s checksum %llx  %.3f ms, %.2f GB/s\n", memcmp(h, back, bytes) ? "FAIL" : "PASS", hsum,
         ms / repeat, 1e-6 * bytes / (ms / repeat));
  free(h); free(back);
  cudaFree(a); cudaFree(b); cudaFree(sum);
  return 0;
}
