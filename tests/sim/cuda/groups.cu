// Warp operations in tiles and labelled groups: lanes of one warp name different member masks.

// Each tile of eight lanes sums, counts and shuffles for itself.
extern "C" __global__ void tiles(const unsigned *in, unsigned *sum, unsigned *even, unsigned *prefix)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, mask = 0xffu << (lane & 24), x = in[at];
    sum[at] = __reduce_add_sync(mask, x);
    even[at] = __ballot_sync(mask, x % 2 == 0) >> (lane & 24);
    unsigned total = x;
    for (int d = 1; d < 8; d *= 2) {
        unsigned other = __shfl_up_sync(mask, total, d, 8);
        if (lane % 8 >= d) total += other;
    }
    prefix[at] = total;
}

// Tiles take turns of their own: some leave the loop before others, and wait only for their own.
extern "C" __global__ void uneven_tiles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned part[256];
    unsigned t = threadIdx.x, lane = t % 32, mask = 0xffu << (lane & 24);
    unsigned total = 0;
    for (unsigned turn = 0; turn < 1 + lane / 8; turn++) {
        part[t] = in[blockIdx.x * blockDim.x + t] + turn;
        __syncwarp(mask);
        total += part[t ^ 7] * __any_sync(mask, part[t] % 5 == turn);
        __syncwarp(mask);
    }
    out[blockIdx.x * blockDim.x + t] = total;
}

// Warp-aggregated counting: lanes of one label choose a leader that adds for all of them.
extern "C" __global__ void labelled(const unsigned *label, unsigned *count, unsigned *rank, unsigned n)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (at >= n) return;
    unsigned mine = label[at];
    unsigned group = __match_any_sync(__activemask(), mine);
    unsigned leader = __ffs(group) - 1, before = __popc(group & ((1u << lane) - 1));
    unsigned base = 0;
    if (lane == leader) base = atomicAdd(&count[mine], __popc(group));
    base = __shfl_sync(group, base, leader);
    rank[at] = base + before;
    if (__all_sync(group, before < 40) && __reduce_max_sync(group, lane) == lane)
        atomicMax(&count[mine + 8], __popc(group));
}
