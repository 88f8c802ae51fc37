// Strides that are fields of a struct passed by value: where the host code tells them, they are no
// guess.
#include <cstdlib>
struct Params { int n, k, d; };

__global__ void assign(const float *points, const float *centres, int *label, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.n) return;
    float best = 1e30f;
    int nearest = 0;
    for (int c = 0; c < p.k; c++) {
        float sum = 0;
        for (int j = 0; j < p.d; j++) {
            float t = points[i * p.d + j] - centres[c * p.d + j];  // expect: CU101 // undecided: CU501 (the rule's own) "another kernel may write it"
            sum += t * t;
        }
        if (sum < best) {
            best = sum;
            nearest = c;
        }
    }
    label[i] = nearest;
}

// One float each: the same code, packed.
__global__ void scale(const float *points, float *scaled, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) scaled[i * p.d] = points[i * p.d] * 2;
}

// What the program is run with tells the stride.
__global__ void open(const float *points, float *scaled, Params p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) scaled[i] = points[i * p.d] * 2;  // undecided: CU101 (stride of a struct) "may be 1"
}

int main(int argc, char **argv) {
    float *points, *centres;
    int *label;
    cudaMalloc(&points, 100000 * 16 * sizeof(float));
    cudaMalloc(&centres, 8 * 16 * sizeof(float));
    cudaMalloc(&label, 100000 * sizeof(int));
    Params p{100000, 8, 16};
    assign<<<391, 256>>>(points, centres, label, p);
    Params one{100000, 8, 1};
    scale<<<391, 256>>>(points, centres, one);
    Params given{100000, 8, atoi(argv[1])};
    open<<<391, 256>>>(points, centres, given);
}
