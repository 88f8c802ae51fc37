// run: ./app -n 8192 --rows=55
// Options that are declared with their variables: what the words say, a default, or what they were.
#include <string>
#include <CLI11.hpp>
__global__ void fill(float *a, int n, float by, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = by * rows;
}
struct Options {
    int n = 4096;
    float by = 2.5f;
};
int main(int argc, char **argv) {
    Options o;
    int block = 0, rows = 77, columns = 20, free = 30;
    CLI::App app{"fill"};
    app.add_option("-n,--number", o.n, "size");
    app.add_option("--by", o.by, "what");
    app.add_option("--rows", rows, "rows")->default_val(99);
    app.add_option("--columns", columns, "columns")->check(CLI::Range(1, 64))->default_val(16);
    app.add_option("--block", block, "threads")->default_val(128)->check(CLI::Range(32, 1024));
    app.add_option("free", free, "what stands alone");
    CLI11_PARSE(app, argc, argv);
    float *a;
    cudaMalloc(&a, o.n * sizeof(float));
    fill<<<o.n / block, block>>>(a, o.n, o.by, rows);  // tried: fill<<<64, 128>>>(n=8192, by=2.5, rows=55)
    fill<<<1, 64>>>(a, columns, o.by, free);  // told: n=16; open: rows
}
