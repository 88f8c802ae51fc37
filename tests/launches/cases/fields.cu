// What structs and classes start their members with, and what always sets them otherwise.
#include <cstdlib>
#include <cstring>
__global__ void plain(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += 1;
}
struct Options {
    int threads = 128;
    int count = 4096;
    int other = 100;
};
Options parsed(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n")) options.count = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-t")) options.threads = atoi(argv[++i]);
    }
    options.other = atoi(argv[argc - 1]);
    return options;
}
void run(const Options &options, float *a) {
    plain<<<options.count / options.threads, options.threads>>>(a, options.count); // tried: plain<<<32, 128>>>(n=4096)
    plain<<<4, 64>>>(a, options.other); // tried: plain<<<4, 64>>>(n=256) | plain<<<4, 64>>>(n=768)
}
struct Parameters { int most; };
class Solver {
  public:
    Solver(Parameters &parameters) { population = parameters.most; }
    void step(float *a) {
        plain<<<population / 64, 64>>>(a, population); // tried: plain<<<20, 64>>>(n=1280) | plain<<<1, 64>>>(n=96)
    }
  private:
    int population = 20;
};
