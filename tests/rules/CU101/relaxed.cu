// Edges of a graph, a thread to each vertex: the edges may be shared by a warp, what they lead to
// is where the graph says.

__global__ void relax(int *__restrict__ distance, const int *__restrict__ first,
                      const int *__restrict__ edge, const int *__restrict__ length, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int mine = v & 255;
    for (int e = first[v]; e < first[v + 1]; e++)
        atomicMin(&distance[edge[e]], mine + length[e]); // expect: CU101 "load from" // undecided: CU101 (loaded address) "choose its element"
}

// A row of sums for each vertex: these lie apart by the layout.
__global__ void add_up(float *__restrict__ sums, const int *__restrict__ first,
                       const int *__restrict__ edge, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    for (int e = first[v]; e < first[v + 1]; e++)
        atomicAdd(&sums[edge[e] * 16], 1.0f); // expect: CU101 "atomic on" // expect: CU101 "load from"
}

// Complex numbers, of which a thread takes both parts: blocks of 32 threads in rows of 24.
struct Pair
{
    double re, im;
};

__global__ void halves(Pair *to, const Pair *from, int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int x = t % 24, y = t / 24;
    if (y >= rows)
        return;
    to[t].re = from[x + y * 32].re; // expect: CU101 "move them with one access of 16 bytes" // expect: CU102
    to[t].im = 2.0 * from[x + y * 32].im; // also: CU101
}

int main()
{
    int *distance, *first, *edge, *length;
    float *sums;
    Pair *to, *from;
    cudaMalloc(&distance, 100000 * sizeof(int));
    cudaMalloc(&first, 100001 * sizeof(int));
    cudaMalloc(&edge, 1600000 * sizeof(int));
    cudaMalloc(&length, 1600000 * sizeof(int));
    cudaMalloc(&sums, 1600000 * sizeof(float));
    cudaMalloc(&to, 24 * 4096 * sizeof(Pair));
    cudaMalloc(&from, 32 * 4096 * sizeof(Pair));
    relax<<<391, 256>>>(distance, first, edge, length, 100000);
    add_up<<<391, 256>>>(sums, first, edge, 100000);
    halves<<<384, 256>>>(to, from, 4096);
}
