// Equi-join of two relations with an open-addressing hash table.
//   ./hash_join --build 1000003 --probe 8000000 --repeat 5
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <vector>
#include <unordered_map>
#include <chrono>
#include <cuda_runtime.h>

using Key = uint32_t;
using Val = uint32_t;
constexpr Key kEmpty = 0xffffffffu;

struct Entry { Key key; Val val; };

#define CU(x)                                                            \
    if (cudaError_t status = (x); status != cudaSuccess) {               \
        std::fprintf(stderr, #x " -> %s\n", cudaGetErrorString(status)); \
        std::exit(1);                                                    \
    }

__device__ __forceinline__ uint64_t mix(Key k)
{
    uint64_t h = k;
    h ^= h >> 16; h *= 0x85ebca6bULL;
    h ^= h >> 13; h *= 0xc2b2ae35ULL;
    return h ^ (h >> 16);
}

__global__ void resetTable(Entry *table, uint64_t slots)
{
    uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
    if (i < slots) table[i] = Entry{kEmpty, 0};
}

__global__ void buildTable(const Key *__restrict__ keys, const Val *__restrict__ vals, int n,
                           Entry *table, uint64_t slots)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Key k = keys[i];
    uint64_t s = mix(k) % slots;
    while (true) {
        Key old = atomicCAS(&table[s].key, kEmpty, k);
        if (old == kEmpty || old == k) break;
        s = (s + 1 == slots) ? 0 : s + 1;
    }
    table[s].val = vals[i];
}

__global__ void probeTable(const Key *keys, int n, const Entry *table, uint64_t slots,
                           unsigned long long *matches, unsigned long long *valueSum, int *tested)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t step = 0;
    tested[i] = 0;
    while (true) {
        uint64_t s = (mix(keys[i]) + step) % slots;
        Entry e = table[s];
        tested[i]++;
        if (e.key == keys[i]) {
            atomicAdd(matches, 1ULL);
            atomicAdd(valueSum, (unsigned long long)e.val);
            return;
        }
        if (e.key == kEmpty) return;
        ++step;
    }
}

static uint32_t rnd(uint64_t &s)
{
    s = s * 6364136223846793005ULL + 1442695040888963407ULL;
    return uint32_t(s >> 33);
}

int main(int argc, char **argv)
{
    int nb = 1000003, np = 8000000, repeat = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--build")) nb = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--probe")) np = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "--repeat")) repeat = std::atoi(argv[i + 1]);
    }
    const uint64_t slots = 2ull * nb + 1;
    std::vector<Key> bk(nb), pk(np);
    std::vector<Val> bv(nb);
    for (int i = 0; i < nb; ++i) { bk[i] = 2u * i; bv[i] = i % 1000; }
    uint64_t s = 99;
    for (auto &k : pk) k = rnd(s) % (2u * nb);

    Key *dbk, *dpk; Val *dbv; Entry *table; unsigned long long *out; int *tested;
    CU(cudaMalloc(&dbk, nb * sizeof(Key)));
    CU(cudaMalloc(&dbv, nb * sizeof(Val)));
    CU(cudaMalloc(&dpk, np * sizeof(Key)));
    CU(cudaMalloc(&tested, np * sizeof(int)));
    CU(cudaMalloc(&table, slots * sizeof(Entry)));
    CU(cudaMalloc(&out, 2 * sizeof(unsigned long long)));
    CU(cudaMemcpy(dbk, bk.data(), nb * sizeof(Key), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dbv, bv.data(), nb * sizeof(Val), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(dpk, pk.data(), np * sizeof(Key), cudaMemcpyHostToDevice));

    constexpr int T = 256;
    double build_ms = 0, probe_ms = 0;
    for (int r = 0; r < repeat; ++r) {
        CU(cudaMemset(out, 0, 2 * sizeof(unsigned long long)));
        resetTable<<<unsigned((slots + T - 1) / T), T>>>(table, slots);
        CU(cudaDeviceSynchronize());
        auto t0 = std::chrono::steady_clock::now();
        buildTable<<<(nb + T - 1) / T, T>>>(dbk, dbv, nb, table, slots);
        CU(cudaDeviceSynchronize());
        auto t1 = std::chrono::steady_clock::now();
        probeTable<<<(np + T - 1) / T, T>>>(dpk, np, table, slots, out, out + 1, tested);
        CU(cudaDeviceSynchronize());
        auto t2 = std::chrono::steady_clock::now();
        build_ms += std::chrono::duration<double, std::milli>(t1 - t0).count();
        probe_ms += std::chrono::duration<double, std::milli>(t2 - t1).count();
    }
    unsigned long long res[2], ref[2] = {0, 0};
    CU(cudaMemcpy(res, out, sizeof(res), cudaMemcpyDeviceToHost));
    std::unordered_map<Key, Val> m;
    for (int i = 0; i < nb; ++i) m[bk[i]] = bv[i];
    for (Key k : pk) { auto it = m.find(k); if (it != m.end()) { ref[0]++; ref[1] += it->second; } }
    std::printf("matches %llu (cpu %llu) sum %llu (cpu %llu) %s\n", res[0], ref[0], res[1], ref[1],
                res[0] == ref[0] && res[1] == ref[1] ? "PASS" : "FAIL");
    std::printf("build %.3f ms, probe %.3f ms\n", build_ms / repeat, probe_ms / repeat);
    cudaFree(dbk); cudaFree(dbv); cudaFree(dpk); cudaFree(table); cudaFree(out); cudaFree(tested);
    return 0;
}
