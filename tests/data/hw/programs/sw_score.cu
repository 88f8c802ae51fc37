/*
 * Protein database scoring, Smith-Waterman with linear gap, one database sequence per thread.
 * Default: 32768 sequences of 128 residues against a 64 residue query.
 */
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

constexpr int ALPHA = 24;
constexpr int QLEN  = 64;
constexpr int DLEN  = 128;

__constant__ signed char submat[ALPHA * ALPHA];
__constant__ unsigned char query[QLEN];

struct Params {
  int nseq;
  int gap;
  int repeat;
};

__global__ void score_sequences(const unsigned char *db, int *score, Params prm)
{
  const int seq = blockIdx.x * blockDim.x + threadIdx.x;
  if (seq >= prm.nseq) return;

  int H[QLEN + 1];
  for (int i = 0; i <= QLEN; ++i) H[i] = 0;

  int best = 0;
  for (int j = 0; j < DLEN; ++j) {
    const int d = db[seq * DLEN + j];
    int diag = 0;
    int left = 0;
#pragma unroll 4
    for (int i = 1; i <= QLEN; ++i) {
      const int up = H[i];
      const int s = submat[query[i - 1] * ALPHA + d];
      int h = max(0, diag + s);
      h = max(h, up - prm.gap);
      h = max(h, left - prm.gap);
      H[i] = h;
      diag = up;
      left = h;
      best = max(best, h);
    }
  }
  score[seq] = best;
}

__global__ void histogram_scores(const int *score, int *hist, int nseq, int bins, int width)
{
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nseq; i += gridDim.x * blockDim.x) {
    int b = min(score[i] / width, bins - 1);
    atomicAdd(&local[b], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (local[b]) atomicAdd(&hist[b], local[b]);
}

class Database {
 public:
  explicit Database(int n) : n_(n), residues_(size_t(n) * DLEN) {
    unsigned s = 2024u;
    for (auto &r : residues_) { s = s * 1664525u + 1013904223u; r = (s >> 16) % 20; }
  }
  const std::vector<unsigned char> &residues() const { return residues_; }
  int cpuScore(int k, const unsigned char *q, const signed char *m, int gap) const {
    std::vector<int> H(QLEN + 1, 0);
    int best = 0;
    for (int j = 0; j < DLEN; ++j) {
      int diag = 0, left = 0, d = residues_[size_t(k) * DLEN + j];
      for (int i = 1; i <= QLEN; ++i) {
        int up = H[i];
        int h = std::max({0, diag + m[q[i - 1] * ALPHA + d], up - gap, left - gap});
        H[i] = h; diag = up; left = h; best = std::max(best, h);
      }
    }
    return best;
  }
 private:
  int n_;
  std::vector<unsigned char> residues_;
};

int main(int argc, char **argv)
{
  Params prm{32768, 4, 10};
  if (argc > 1) prm.nseq = std::atoi(argv[1]);
  if (argc > 2) prm.repeat = std::atoi(argv[2]);

  signed char m[ALPHA * ALPHA];
  unsigned char q[QLEN];
  for (int a = 0; a < ALPHA; ++a)
    for (int b = 0; b < ALPHA; ++b) m[a * ALPHA + b] = a == b ? 5 : -1 - ((a * 7 + b * 7) % 3);
  for (int i = 0; i < QLEN; ++i) q[i] = (i * 13 + 5) % 20;
  cudaMemcpyToSymbol(submat, m, sizeof(m));
  cudaMemcpyToSymbol(query, q, sizeof(q));

  Database db(prm.nseq);
  unsigned char *d_db; int *d_score, *d_hist;
  std::vector<int> score(prm.nseq), hist(64);
  cudaMalloc(&d_db, db.residues().size());
  cudaMalloc(&d_score, prm.nseq * sizeof(int));
  cudaMalloc(&d_hist, 64 * sizeof(int));

  cudaEvent_t ev[2];
  for (auto &e : ev) cudaEventCreate(&e);
  cudaEventRecord(ev[0]);
  for (int r = 0; r < prm.repeat; ++r) {
    cudaMemcpy(d_db, db.residues().data(), db.residues().size(), cudaMemcpyHostToDevice);
    cudaMemset(d_hist, 0, 64 * sizeof(int));
    score_sequences<<<(prm.nseq + 63) / 64, 64>>>(d_db, d_score, prm);
    histogram_scores<<<32, 256, 64 * sizeof(int)>>>(d_score, d_hist, prm.nseq, 64, 4);
  }
  cudaEventRecord(ev[1]);
  cudaEventSynchronize(ev[1]);
  float ms; cudaEventElapsedTime(&ms, ev[0], ev[1]);
  cudaMemcpy(score.data(), d_score, prm.nseq * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(hist.data(), d_hist, 64 * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0, sum = 0;
  for (int k = 0; k < std::min(prm.nseq, 256); ++k) wrong += score[k] != db.cpuScore(k, q, m, prm.gap);
  for (int h : hist) sum += h;
  printf("%s (histogram total %d)  %.3f ms per pass, %.2f GCUPS\n", wrong || sum != prm.nseq ? "FAIL" : "PASS",
         sum, ms / prm.repeat, 1e-6 * prm.nseq * QLEN * DLEN / (ms / prm.repeat));
  cudaFree(d_db); cudaFree(d_score); cudaFree(d_hist);
  return 0;
}
