// A graph in rows that are told by start and length: whoever follows them gathers.
#include <cuda_runtime.h>

struct Vertex { int first, count; };

__global__ void visit(const Vertex *vertices, const int *edges, const bool *visited, int *cost, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int j = vertices[i].first; j < vertices[i].first + vertices[i].count; j++) {  // undecided: CU102 (invented data decides) "trip counts"
        int to = edges[j];  // expect: CU101 "sectors per request"
        if (!visited[to])  // also: CU101
            sum += to;
    }
    cost[i] = sum;
}

// How many vertices there are nobody knows: that few are tried makes `visited` no table.
void search(Vertex *vertices, int *edges, bool *visited, int *cost, int n)
{
    visit<<<(n + 255) / 256, 256>>>(vertices, edges, visited, cost, n);
}

__global__ void look_up(const int *index, const float *colours, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = colours[index[i]];  // ok: the host allocates 256 of them  // refuted: CU101 (only a table)
}

void paint(int *index, float *out)
{
    float *colours;
    cudaMalloc(&colours, 256 * sizeof(float));
    look_up<<<64, 256>>>(index, colours, out);
}
