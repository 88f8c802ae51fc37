// As many lanes as data say, and a shared array that has room for fewer: the data that are made up
// are not the program's.
struct Edge { unsigned to, weight; };
struct Pages { unsigned edges; };
constexpr int EDGES = 15;

__global__ void within(const Pages *pages, unsigned *out, int rounds)
{
    __shared__ Edge kept[4][EDGES];
    __shared__ unsigned seeds[256];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    seeds[threadIdx.x] = seeds[threadIdx.x + 128] = out[threadIdx.x];
    __syncthreads();
    unsigned sum = seeds[255 - threadIdx.x];
    if (lane >= pages->edges) return;
    for (int k = 0; k < rounds; k++) {
        kept[warp][lane].to = sum ^ k;  // undecided: CU201 (wrong launch) "left the shared array"
        __syncwarp(__activemask());
        sum += kept[warp][0].to;
        __syncwarp(__activemask());
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Room for a warp: nothing is left.
__global__ void roomy(const Pages *pages, unsigned *out, int rounds)
{
    __shared__ Edge kept[4][32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (lane >= pages->edges) return;
    for (int k = 0; k < rounds; k++) {
        kept[warp][lane].to = sum ^ k;  // expect: CU201
        __syncwarp(__activemask());
        sum += kept[warp][0].to;
        __syncwarp(__activemask());
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void run(const Pages *pages, unsigned *out, int rounds)
{
    within<<<4096, 128>>>(pages, out, rounds);
    roomy<<<4096, 128>>>(pages, out, rounds);
}
