// Structures that lie in one allocation, each with numbers of its own.
#include <cstdlib>
__global__ void forward(const float *w, float *y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) y[i] = w[i * cols];
}
typedef struct { int in, out; float *w, *y; } layer_t;
typedef struct { int n; layer_t *layers; } net_t;
net_t *make(const int *sizes, int n) {
    net_t *net = (net_t *)malloc(sizeof(net_t));
    net->n = n - 1;
    net->layers = (layer_t *)malloc(net->n * sizeof(layer_t));
    for (int i = 0; i < net->n; i++) {
        layer_t *l = &net->layers[i];
        l->in = sizes[i];
        l->out = sizes[i + 1];
        cudaMalloc(&l->w, l->in * l->out * sizeof(float));
        cudaMalloc(&l->y, l->out * sizeof(float));
    }
    return net;
}
void run(net_t *net) {
    for (int i = 0; i < net->n; i++) {
        layer_t *l = net->layers + i;
        int threads = 128, blocks = (l->out + threads - 1) / threads;
        forward<<<blocks, threads>>>(l->w, l->y, l->out, l->in);  // told: grid=3 rows=300 cols=784; times: 2
    }
}
int main() {
    int sizes[] = {784, 300, 10};
    run(make(sizes, 3));
}
