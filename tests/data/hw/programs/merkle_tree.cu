// Merkle root over fixed-size records with SHA-256, plus inclusion proof checks.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define REQUIRE_OK(call) do { auto rc_ = (call); if (rc_ != cudaSuccess) { \
    fprintf(stderr, "%s -> %s\n", #call, cudaGetErrorString(rc_)); abort(); } } while (0)

static const uint32_t h_K[64] = {
    0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
    0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
    0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
    0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
__constant__ uint32_t K[64];

__host__ __device__ inline uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

__host__ __device__ inline void init_state(uint32_t* s)
{
    const uint32_t iv[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19};
    for (int i = 0; i < 8; ++i) s[i] = iv[i];
}

__host__ __device__ inline void rounds(uint32_t* st, const uint32_t* w, const uint32_t* k)
{
    uint32_t a = st[0], b = st[1], c = st[2], d = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 0; i < 64; ++i) {
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    st[0] += a; st[1] += b; st[2] += c; st[3] += d; st[4] += e; st[5] += f; st[6] += g; st[7] += h;
}

__host__ __device__ inline void compress(uint32_t* st, const uint32_t* block, const uint32_t* k)
{
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) w[i] = block[i];
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 16; i < 64; ++i) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotr(x, 7) ^ rotr(x, 18) ^ (x >> 3)) + (rotr(y, 17) ^ rotr(y, 19) ^ (y >> 10));
    }
    rounds(st, w, k);
}

__host__ __device__ inline void pad_block(uint32_t* b, uint32_t bits)
{
    for (int i = 0; i < 16; ++i) b[i] = 0;
    b[0] = 0x80000000u;
    b[15] = bits;
}

__global__ void hash_leaves(const uint32_t* __restrict__ rec, uint32_t* __restrict__ digest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t st[8], b[16];
    init_state(st);
    for (int blk = 0; blk < 2; ++blk) {
        for (int j = 0; j < 16; ++j) b[j] = rec[(size_t)i * 32 + blk * 16 + j];
        compress(st, b, K);
    }
    pad_block(b, 1024);
    compress(st, b, K);
    for (int j = 0; j < 8; ++j) digest[j * n + i] = st[j];
}

__global__ void hash_level(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    int n = pairs * 2;
    uint32_t st[8], b[16];
    init_state(st);
    for (int j = 0; j < 8; ++j) {
        b[j] = in[j * n + 2 * i];
        b[8 + j] = in[j * n + 2 * i + 1];
    }
    compress(st, b, K);
    pad_block(b, 512);
    compress(st, b, K);
    for (int j = 0; j < 8; ++j) out[j * pairs + i] = st[j];
}

__global__ void count_prefix(const uint32_t* __restrict__ digest, int n, int* __restrict__ hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (digest[i] >> 20) == 0)
        atomicAdd(hits, 1);
}

class MerkleTree {
    std::vector<uint32_t*> levels_;
    std::vector<int> sizes_;
public:
    MerkleTree(const uint32_t* d_rec, int n)
    {
        for (int s = n; s >= 1; s /= 2) {
            uint32_t* p;
            REQUIRE_OK(cudaMalloc(&p, (size_t)s * 32));
            levels_.push_back(p);
            sizes_.push_back(s);
        }
        hash_leaves<<<(n + 127) / 128, 128>>>(d_rec, levels_[0], n);
        for (size_t l = 1; l < levels_.size(); ++l)
            hash_level<<<(sizes_[l] + 127) / 128, 128>>>(levels_[l - 1], levels_[l], sizes_[l]);
        REQUIRE_OK(cudaGetLastError());
    }
    ~MerkleTree() { for (auto* p : levels_) cudaFree(p); }
    const uint32_t* leaves() const { return levels_[0]; }
    void root(uint32_t out[8]) const { REQUIRE_OK(cudaMemcpy(out, levels_.back(), 32, cudaMemcpyDeviceToHost)); }
};

int main(int argc, char** argv)
{
    int lg = 17;
    if (argc > 1 && strcmp(argv[1], "--log2") == 0 && argc > 2) lg = atoi(argv[2]);
    const int n = 1 << lg;
    std::vector<uint32_t> rec((size_t)n * 32);
    uint32_t s = 1;
    for (auto& r : rec) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; r = s; }
    REQUIRE_OK(cudaMemcpyToSymbol(K, h_K, sizeof h_K));
    uint32_t* d_rec; int* d_hits;
    REQUIRE_OK(cudaMalloc(&d_rec, rec.size() * 4));
    REQUIRE_OK(cudaMallocManaged(&d_hits, sizeof(int)));
    *d_hits = 0;
    REQUIRE_OK(cudaMemcpy(d_rec, rec.data(), rec.size() * 4, cudaMemcpyHostToDevice));
    uint32_t root[8], got[8];
    {
        MerkleTree tree(d_rec, n);
        count_prefix<<<(n + 255) / 256, 256>>>(tree.leaves(), n, d_hits);
        REQUIRE_OK(cudaDeviceSynchronize());
        tree.root(root);
    }
    std::vector<uint32_t> cur((size_t)n * 8);
    for (int i = 0; i < n; ++i) {
        uint32_t b[16];
        uint32_t* st = &cur[(size_t)i * 8];
        init_state(st);
        compress(st, &rec[(size_t)i * 32], h_K);
        compress(st, &rec[(size_t)i * 32 + 16], h_K);
        pad_block(b, 1024);
        compress(st, b, h_K);
    }
    for (int m = n / 2; m >= 1; m /= 2)
        for (int i = 0; i < m; ++i) {
            uint32_t b[16], st[8];
            init_state(st);
            compress(st, &cur[(size_t)i * 16], h_K);
            pad_block(b, 512);
            compress(st, b, h_K);
            memcpy(&cur[(size_t)i * 8], st, 32);
        }
    memcpy(got, cur.data(), 32);
    bool ok = memcmp(root, got, 32) == 0;
    printf("root %08x%08x..., prefix hits %d %s\n", root[0], root[1], *d_hits, ok ? "OK" : "FAIL");
    cudaFree(d_rec); cudaFree(d_hits);
    return ok ? 0 : 1;
}
