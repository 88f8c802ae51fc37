// A size in bytes that the host code holds in an int fits one; where it is a size_t it may be more.
struct Node { double a[50]; };
__global__ void visited(Node *nodes, double *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = nodes[i].a[3];
}
__global__ void wide(Node *nodes, double *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = nodes[i].a[3];
}
void run_visited(int rows, int columns, int layers, double *out) {
    Node *nodes;
    int bytes = sizeof(Node) * rows * columns * layers;
    cudaMalloc(&nodes, bytes);
    int count = rows * columns * layers;
    visited<<<(count + 255) / 256, 256>>>(nodes, out, count); // tried: visited<<<210, 256>>>(count=53760) | visited<<<13440, 256>>>(count=3440640)
}
void run_wide(int rows, int columns, int layers, double *out) {
    Node *nodes;
    size_t bytes = sizeof(Node) * rows * columns * layers;
    cudaMalloc(&nodes, bytes);
    int count = rows * columns * layers;
    wide<<<(count + 255) / 256, 256>>>(nodes, out, count); // tried: wide<<<107520, 256>>>(count=27525120) | wide<<<13440, 256>>>(count=3440640)
}
