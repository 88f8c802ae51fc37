// A step of breadth-first search: each thread of the frontier visits the neighbours of its node.
// The graph decides how fast that is: `perflint stress examples/bfs.cu` looks for a bad one.
//
//     nvcc -o bfs bfs.cu && ./bfs 1024

#include <cstdio>
#include <cstdlib>

__global__ void visit(const int *first_edge, const int *neighbour, const int *frontier,
                      int *next, int *cost, int nodes)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || !frontier[node])
        return;
    for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
        int other = neighbour[edge];
        if (cost[other] < 0) {
            cost[other] = cost[node] + 1;
            next[other] = 1;
        }
    }
}

int main(int argc, char **argv)
{
    const int degree = 4;
    int nodes = argc > 1 ? atoi(argv[1]) : 1024;
    int edges = degree * nodes;
    int *first_edge, *neighbour, *frontier, *next, *cost;
    cudaMallocManaged(&first_edge, (nodes + 1) * sizeof(int));
    cudaMallocManaged(&neighbour, edges * sizeof(int));
    cudaMallocManaged(&frontier, nodes * sizeof(int));
    cudaMallocManaged(&next, nodes * sizeof(int));
    cudaMallocManaged(&cost, nodes * sizeof(int));
    for (int node = 0; node < nodes; node++) {
        first_edge[node] = degree * node;
        for (int k = 0; k < degree; k++)
            neighbour[degree * node + k] = rand() % nodes;
        frontier[node] = node == 0;
        next[node] = 0;
        cost[node] = node == 0 ? 0 : -1;
    }
    first_edge[nodes] = edges;

    visit<<<(nodes + 255) / 256, 256>>>(first_edge, neighbour, frontier, next, cost, nodes);
    cudaDeviceSynchronize();

    int found = 0;
    for (int node = 0; node < nodes; node++)
        found += next[node];
    printf("%d neighbours\n", found);
    return 0;
}
