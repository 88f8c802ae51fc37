// SELECT region, count(*), sum(price*(1-discount)), max(qty) FROM lineitem WHERE shipdate < X GROUP BY region
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <algorithm>

#define HANDLE(err) do { cudaError_t c = (err); if (c != cudaSuccess) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(c)); exit(EXIT_FAILURE); } } while (0)

struct LineItem {
    int orderkey;
    int region;
    int shipdate;
    float price;
    float discount;
    int qty;
    char comment[40];
};

constexpr int GROUPS = 16;

struct Acc { unsigned count; float revenue; int maxqty; };

__global__ void select_rows(const LineItem* __restrict__ t, uint8_t* __restrict__ flag, int n, int cutoff)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    flag[i] = t[i].shipdate < cutoff;
}

__global__ void block_counts(const uint8_t* __restrict__ flag, int* __restrict__ counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = __syncthreads_count(i < n && flag[i]);
    if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

__global__ void scan_counts(int* __restrict__ counts, int nb)
{
    __shared__ int warp_tot[32];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    int per = (nb + blockDim.x - 1) / blockDim.x;
    int beg = min((int)threadIdx.x * per, nb), end = min(beg + per, nb);
    int s = 0;
    for (int i = beg; i < end; ++i) s += counts[i];
    int x = s;
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    if (lane == 31) warp_tot[wid] = x;
    __syncthreads();
    if (wid == 0) {
        int t = warp_tot[lane];
        for (int d = 1; d < 32; d <<= 1) {
            int y = __shfl_up_sync(0xffffffffu, t, d);
            if (lane >= d) t += y;
        }
        warp_tot[lane] = t;
    }
    __syncthreads();
    int run = x - s + (wid ? warp_tot[wid - 1] : 0);
    for (int i = beg; i < end; ++i) {
        int c = counts[i];
        counts[i] = run;
        run += c;
    }
    if (threadIdx.x == blockDim.x - 1) counts[nb] = run;
}

__global__ void compact_rows(const uint8_t* __restrict__ flag, const int* __restrict__ offs, int* __restrict__ sel, int n)
{
    __shared__ int slot;
    if (threadIdx.x == 0) slot = offs[blockIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int s = slot;
        int base = blockIdx.x * blockDim.x;
        for (int k = 0; k < blockDim.x && base + k < n; ++k)
            if (flag[base + k]) sel[s++] = base + k;
    }
}

__global__ void aggregate(const LineItem* __restrict__ t, const int* __restrict__ sel, int m, Acc* __restrict__ acc)
{
    __shared__ Acc local[GROUPS];
    if (threadIdx.x < GROUPS) local[threadIdx.x] = Acc{0u, 0.f, 0};
    __syncthreads();
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x) {
        const LineItem& r = t[sel[k]];
        int g = r.region;
        atomicAdd(&local[g].count, 1u);
        atomicAdd(&local[g].revenue, r.price * (1.f - r.discount));
        atomicMax(&local[g].maxqty, r.qty);
    }
    __syncthreads();
    if (threadIdx.x < GROUPS) {
        atomicAdd(&acc[threadIdx.x].count, local[threadIdx.x].count);
        atomicAdd(&acc[threadIdx.x].revenue, local[threadIdx.x].revenue);
        atomicMax(&acc[threadIdx.x].maxqty, local[threadIdx.x].maxqty);
    }
}

class Table {
public:
    explicit Table(const std::vector<LineItem>& rows) : n_((int)rows.size())
    {
        HANDLE(cudaMalloc(&d_, rows.size() * sizeof(LineItem)));
        HANDLE(cudaMemcpy(d_, rows.data(), rows.size() * sizeof(LineItem), cudaMemcpyHostToDevice));
    }
    ~Table() { cudaFree(d_); }
    const LineItem* data() const { return d_; }
    int size() const { return n_; }
private:
    LineItem* d_ = nullptr;
    int n_;
};

int main(int argc, char* argv[])
{
    int n = 1 << 20;
    int cutoff = 1800;
    if (argc >= 2) n = std::max(1024, atoi(argv[1]));
    if (argc >= 3) cutoff = atoi(argv[2]);

    std::vector<LineItem> rows(n);
    uint64_t s = 88172645463325252ull;
    for (int i = 0; i < n; ++i) {
        s ^= s << 13; s ^= s >> 7; s ^= s << 17;
        LineItem& r = rows[i];
        r = LineItem{};
        r.orderkey = i;
        r.region = (s % 10) < 6 ? 0 : int((s >> 8) % GROUPS);
        r.shipdate = int((s >> 16) % 2556);
        r.price = 1.f + float((s >> 28) % 1000) * 0.1f;
        r.discount = float((s >> 40) % 10) * 0.01f;
        r.qty = 1 + int((s >> 44) % 50);
    }
    Table table(rows);
    const int tb = 256, nb = (n + tb - 1) / tb;
    uint8_t* flag; int *counts, *sel; Acc* acc;
    HANDLE(cudaMalloc(&flag, n));
    HANDLE(cudaMalloc(&counts, (nb + 1) * sizeof(int)));
    HANDLE(cudaMalloc(&sel, n * sizeof(int)));
    HANDLE(cudaMalloc(&acc, GROUPS * sizeof(Acc)));
    HANDLE(cudaMemset(acc, 0, GROUPS * sizeof(Acc)));

    select_rows<<<nb, tb>>>(table.data(), flag, n, cutoff);
    block_counts<<<nb, tb>>>(flag, counts, n);
    scan_counts<<<1, 1024>>>(counts, nb);
    compact_rows<<<nb, tb>>>(flag, counts, sel, n);
    int m = 0;
    HANDLE(cudaMemcpy(&m, counts + nb, sizeof m, cudaMemcpyDeviceToHost));
    if (m > 0) {
        int grid = std::min((m + tb - 1) / tb, 1056);
        aggregate<<<grid, tb>>>(table.data(), sel, m, acc);
    }
    HANDLE(cudaGetLastError());
    Acc h[GROUPS];
    HANDLE(cudaMemcpy(h, acc, sizeof h, cudaMemcpyDeviceToHost));

    unsigned cnt[GROUPS] = {};
    double rev[GROUPS] = {};
    for (const auto& r : rows)
        if (r.shipdate < cutoff) { cnt[r.region]++; rev[r.region] += r.price * (1.f - r.discount); }
    int bad = 0;
    for (int g = 0; g < GROUPS; ++g) {
        if (cnt[g] != h[g].count) ++bad;
        if (fabs(rev[g] - h[g].revenue) > 2e-3 * rev[g] + 1.0) ++bad;
    }
    printf("selected %d of %d, bad groups %d %s\n", m, n, bad, bad ? "FAIL" : "OK");
    cudaFree(flag); cudaFree(counts); cudaFree(sel); cudaFree(acc);
    return bad != 0;
}
