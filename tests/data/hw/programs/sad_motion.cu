#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <climits>
#include <vector>
#include <memory>
#include <cuda_runtime.h>

// Full-search block motion estimation: 16x16 macro blocks, +-16 pixels, luma plane.
// Arguments: width height frames (default 1920 1088 8)

namespace me {

constexpr int MB = 16;
constexpr int RANGE = 16;
constexpr int SIDE = 2 * RANGE + 1;

struct Vec { short dx, dy; int sad; };

__global__ void pad_frame(const uint8_t *__restrict__ src, uint8_t *__restrict__ dst, int w, int h, int pitch)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w + 2 * RANGE || y >= h + 2 * RANGE) return;
  const int sx = min(max(x - RANGE, 0), w - 1), sy = min(max(y - RANGE, 0), h - 1);
  dst[y * pitch + x] = src[sy * w + sx];
}

__global__ void full_search(const uint8_t *__restrict__ cur, const uint8_t *__restrict__ ref,
                            Vec *__restrict__ out, int w, int pitch)
{
  __shared__ uint8_t blk[MB][MB];
  __shared__ int best_sad;
  __shared__ int best_pos;
  const int bx = blockIdx.x * MB, by = blockIdx.y * MB;
  const int tid = threadIdx.x;
  for (int i = tid; i < MB * MB; i += blockDim.x)
    blk[i / MB][i % MB] = cur[(by + i / MB) * w + bx + i % MB];
  if (tid == 0) { best_sad = INT_MAX; best_pos = 0; }
  __syncthreads();

  int my_sad = INT_MAX, my_pos = 0;
  for (int pos = tid; pos < SIDE * SIDE; pos += blockDim.x) {
    const int dx = pos % SIDE, dy = pos / SIDE;
    int sad = 0;
    for (int y = 0; y < MB; y++)
      for (int x = 0; x < MB; x++) {
        const int r = ref[(by + dy + y) * pitch + bx + dx + x];
        sad += abs((int)blk[y][x] - r);
      }
    if (sad < my_sad) { my_sad = sad; my_pos = pos; }
  }
  for (int t = 0; t < blockDim.x; t++) {
    if (t == tid && (my_sad < best_sad || (my_sad == best_sad && my_pos < best_pos))) {
      best_sad = my_sad;
      best_pos = my_pos;
    }
    __syncthreads();
  }
  if (tid == 0) {
    Vec v;
    v.dx = (short)(best_pos % SIDE - RANGE);
    v.dy = (short)(best_pos / SIDE - RANGE);
    v.sad = best_sad;
    out[blockIdx.y * gridDim.x + blockIdx.x] = v;
  }
}

}  // namespace me

static void synth(std::vector<uint8_t> &f, int w, int h, int shift)
{
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      unsigned u = (unsigned)(x + 3 * shift) * 73856093u ^ (unsigned)(y + 2 * shift) * 19349663u;
      f[(size_t)y * w + x] = (uint8_t)((u >> 13) ^ (u >> 5));
    }
}

static int cpu_sad(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b, int w, int h, int bx, int by, int dx, int dy)
{
  int s = 0;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++) {
      int rx = std::min(std::max(bx + x + dx, 0), w - 1), ry = std::min(std::max(by + y + dy, 0), h - 1);
      s += std::abs((int)a[(size_t)(by + y) * w + bx + x] - (int)b[(size_t)ry * w + rx]);
    }
  return s;
}

int main(int argc, char **argv)
{
  const int w = argc > 1 ? atoi(argv[1]) : 1920;
  const int h = argc > 2 ? atoi(argv[2]) : 1088;
  const int frames = argc > 3 ? atoi(argv[3]) : 8;
  const int pitch = (w + 2 * me::RANGE + 127) / 128 * 128;
  const int mbx = w / me::MB, mby = h / me::MB;
  std::vector<std::vector<uint8_t>> video(frames, std::vector<uint8_t>((size_t)w * h));
  for (int f = 0; f < frames; f++) synth(video[f], w, h, f);

  std::vector<me::Vec> mv((size_t)mbx * mby);
  uint8_t *prev, *cur;
  cudaMalloc(&prev, (size_t)w * h);
  cudaMalloc(&cur, (size_t)w * h);
  cudaMemcpy(prev, video[0].data(), (size_t)w * h, cudaMemcpyHostToDevice);

  cudaEvent_t t0, t1;
  cudaEventCreate(&t0);
  cudaEventCreate(&t1);
  cudaEventRecord(t0);
  for (int f = 1; f < frames; f++) {
    uint8_t *padded; me::Vec *d_mv;
    cudaMalloc(&padded, (size_t)pitch * (h + 2 * me::RANGE));
    cudaMalloc(&d_mv, mv.size() * sizeof(me::Vec));
    cudaMemcpy(cur, video[f].data(), (size_t)w * h, cudaMemcpyHostToDevice);
    dim3 pb(32, 8), pg((w + 2 * me::RANGE + 31) / 32, (h + 2 * me::RANGE + 7) / 8);
    me::pad_frame<<<pg, pb>>>(prev, padded, w, h, pitch);
    me::full_search<<<dim3(mbx, mby), 96>>>(cur, padded, d_mv, w, pitch);
    cudaMemcpy(mv.data(), d_mv, mv.size() * sizeof(me::Vec), cudaMemcpyDeviceToHost);
    cudaFree(padded);
    cudaFree(d_mv);
    std::swap(prev, cur);
  }
  cudaEventRecord(t1);
  cudaEventSynchronize(t1);
  float ms;
  cudaEventElapsedTime(&ms, t0, t1);

  int bad = 0, moved = 0;
  for (int k = 0; k < mbx * mby; k++) {
    moved += mv[k].dx == 3 && mv[k].dy == 2;
    if (k % 37 == 0)
      bad += mv[k].sad != cpu_sad(video[frames - 1], video[frames - 2], w, h, (k % mbx) * 16, (k / mbx) * 16, mv[k].dx, mv[k].dy);
  }
  printf("%s, %d of %d blocks follow the pan, %.3f ms per frame\n", bad ? "FAIL" : "PASS", moved, mbx * mby, ms / (frames - 1));
  cudaFree(prev);
  cudaFree(cur);
  return 0;
}
