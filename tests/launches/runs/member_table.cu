// Members' addresses in a table.
// run: ./app -m 5 -n 256
#include <cstdlib>
#include <cstring>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Args { int n = 50, m = 3; };
struct Row { const char *name; int *to; };
void parse(int argc, char **argv, Args &args) {
    Row rows[] = {{"-n", &args.n}, {"-m", &args.m}};
    for (int i = 1; i + 1 < argc; i += 2)
        for (auto &row : rows)
            if (!strcmp(argv[i], row.name)) *row.to = atoi(argv[i + 1]);
}
int main(int argc, char **argv) {
    Args args;
    parse(argc, argv, args);
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(args.n + 63) / 64, 64>>>(a, args.n, args.m);  // tried: k<<<4, 64>>>(n=256, m=5); told: n=256 m=5
}
