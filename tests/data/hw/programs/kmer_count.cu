// k-mer spectrum of a set of short reads.
//
//   ./kmer_count [number of reads]        default 200000 reads of 100 bases
//
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#include <chrono>
#include <cuda_runtime.h>

#define READ_LEN 100
#define K        5
#define NKMER    (1 << (2 * K))

#define CUDA_TRY(stmt)                                              \
  do {                                                              \
    cudaError_t rc = (stmt);                                        \
    if (rc != cudaSuccess) {                                        \
      fprintf(stderr, "%s failed: %s\n", #stmt, cudaGetErrorString(rc)); \
      exit(2);                                                      \
    }                                                               \
  } while (0)

__device__ __forceinline__ int encode_base(char c)
{
  switch (c) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
  }
  return -1;
}

__global__ void count_kmers(const char *__restrict__ reads, unsigned int *__restrict__ spectrum,
                            unsigned int *__restrict__ invalid, int nreads)
{
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= nreads) return;

  unsigned int kmer = 0;
  int filled = 0;
  for (int i = 0; i < READ_LEN; i++) {
    int b = encode_base(reads[(size_t)r * READ_LEN + i]);
    if (b < 0) {
      filled = 0;
      atomicAdd(invalid, 1u);
      continue;
    }
    kmer = ((kmer << 2) | b) & (NKMER - 1);
    if (++filled >= K)
      atomicAdd(&spectrum[kmer], 1u);
  }
}

__global__ void top_kmer(const unsigned int *spectrum, unsigned int *best)
{
  __shared__ unsigned int sc[NKMER];
  __shared__ unsigned int si[NKMER];
  int t = threadIdx.x;
  sc[t] = spectrum[t];
  si[t] = t;
  __syncthreads();
  for (int s = NKMER / 2; s > 0; s >>= 1) {
    if (t < s && sc[t + s] > sc[t]) { sc[t] = sc[t + s]; si[t] = si[t + s]; }
    __syncthreads();
  }
  if (t == 0) { best[0] = si[0]; best[1] = sc[0]; }
}

static void make_reads(std::vector<char> &buf, int n)
{
  unsigned long long s = 88172645463325252ull;
  const char alpha[] = "ACGT";
  for (size_t i = 0; i < buf.size(); i++) {
    s ^= s << 13; s ^= s >> 7; s ^= s << 17;
    buf[i] = (s % 1000 == 0) ? 'N' : alpha[(s >> 20) & 3];
  }
  (void)n;
}

static void cpu_count(const std::vector<char> &buf, int n, std::vector<unsigned> &h)
{
  for (int r = 0; r < n; r++) {
    unsigned k = 0; int f = 0;
    for (int i = 0; i < READ_LEN; i++) {
      const char *p = strchr("ACGT", buf[(size_t)r * READ_LEN + i]);
      if (!p) { f = 0; continue; }
      k = ((k << 2) | (unsigned)(p - strchr("ACGT", 'A'))) & (NKMER - 1);
      if (++f >= K) h[k]++;
    }
  }
}

int main(int argc, char **argv)
{
  int nreads = 200000;
  if (argc > 1) nreads = atoi(argv[1]);
  std::vector<char> reads((size_t)nreads * READ_LEN);
  make_reads(reads, nreads);

  char *d_reads; unsigned *d_spec, *d_inv, *d_best;
  CUDA_TRY(cudaMalloc(&d_reads, reads.size()));
  CUDA_TRY(cudaMalloc(&d_spec, NKMER * sizeof(unsigned)));
  CUDA_TRY(cudaMalloc(&d_inv, sizeof(unsigned)));
  CUDA_TRY(cudaMalloc(&d_best, 2 * sizeof(unsigned)));
  CUDA_TRY(cudaMemcpy(d_reads, reads.data(), reads.size(), cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMemset(d_spec, 0, NKMER * sizeof(unsigned)));
  CUDA_TRY(cudaMemset(d_inv, 0, sizeof(unsigned)));

  const int tpb = 128;
  auto t0 = std::chrono::high_resolution_clock::now();
  count_kmers<<<(nreads + tpb - 1) / tpb, tpb>>>(d_reads, d_spec, d_inv, nreads);
  top_kmer<<<1, NKMER>>>(d_spec, d_best);
  CUDA_TRY(cudaGetLastError());
  CUDA_TRY(cudaDeviceSynchronize());
  auto t1 = std::chrono::high_resolution_clock::now();

  std::vector<unsigned> h(NKMER), ref(NKMER, 0);
  unsigned best[2];
  CUDA_TRY(cudaMemcpy(h.data(), d_spec, NKMER * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA_TRY(cudaMemcpy(best, d_best, sizeof(best), cudaMemcpyDeviceToHost));
  cpu_count(reads, nreads, ref);
  int diff = 0;
  for (int i = 0; i < NKMER; i++) diff += (h[i] != ref[i]);
  std::string s;
  for (int j = K - 1; j >= 0; j--) s += "ACGT"[(best[0] >> (2 * j)) & 3];
  printf("most frequent %d-mer %s x %u\n", K, s.c_str(), best[1]);
  printf("%s, %d wrong counters, %.3f ms\n", diff ? "FAIL" : "PASS", diff,
         std::chrono::duration<double, std::milli>(t1 - t0).count());
  CUDA_TRY(cudaFree(d_reads)); CUDA_TRY(cudaFree(d_spec));
  CUDA_TRY(cudaFree(d_inv)); CUDA_TRY(cudaFree(d_best));
  return diff != 0;
}
