// Bytes behind pointer arguments.
#include <cstdlib>
#define N 512
#define REAL double
#define CHECK(call) do { if ((call) != 0) exit(1); } while (0)
struct Node { int start; short edges; };
typedef unsigned long long word;
__global__ void k(REAL *a, int *b, Node *c) {}
static float *global_pointer;

void setup() { cudaMalloc(&global_pointer, 3 * sizeof(word)); }
void through(int *p, Node *q) {
    k<<<1, 32>>>((double *)global_pointer, p, q);  // launch: k grid=(1,1,1) block=(32,1,1) a=24B b=2048B c=800B
}
int main() {
    REAL *a;
    int *b, *twice, *unknown_size;
    Node *nodes;
    cudaMalloc((void **)&a, sizeof(REAL) * N * N);
    CHECK(cudaMalloc(reinterpret_cast<void **>(&b), N * sizeof(*b)));
    cudaMallocManaged(&nodes, 100 * sizeof(Node));
    cudaMalloc(&unknown_size, atoi("3"));
    int *alias = b;
    k<<<1, 1>>>(a, b, nodes);  // launch: k grid=(1,1,1) block=(1,1,1) a=2097152B b=2048B c=800B
    k<<<1, 1>>>(a, alias, (Node *)(b));  // launch: k grid=(1,1,1) block=(1,1,1) b=2048B c=2048B
    k<<<1, 1>>>(a + 1, unknown_size, 0);  // launch: k grid=(1,1,1) block=(1,1,1) a=? b=3B c=0
    cudaMalloc(&twice, 16);
    k<<<1, 1>>>(a, twice, nodes);  // launch: k grid=(1,1,1) block=(1,1,1) b=16B
    cudaMalloc(&twice, 32);
    k<<<1, 1>>>(a, twice, nodes);  // launch: k grid=(1,1,1) block=(1,1,1) b=32B
    through(b, nodes);
}
