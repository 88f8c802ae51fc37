// What host code copies to device variables: the name in front, then OFFSET=VALUE for what is known,
// or `?`; what lies between the fields of a struct counts as 0. Several ways in which one copy happens stand with `|` between.
#include <cuda_runtime.h>

#define TAPS 6

namespace grid {
__constant__ int pitch;
}
struct Settings {
    int columns;
    float weight;
    double eps;
    int order[2];
    int last;
};
struct Derived : Settings {
    int more;
};
__constant__ Settings settings;
__constant__ Derived derived;
__constant__ float taps[TAPS];
__constant__ int steps[4];
__constant__ float3 gravity;
__constant__ int depth, width, height, limit, level, mode, other, table_size;
__constant__ int lookup[4];
__device__ int rounds;
__device__ int shown;

static const int kSteps[] = {3, 4, 5};
const int kDepth = 1 << 4;
int changed = 3;

void set_height(int rows)
{
    cudaMemcpyToSymbol(height, &rows, sizeof(rows)); // holds: height 0=48
}

void set_limit(const int *value)
{
    cudaMemcpyToSymbol(limit, value, sizeof(int)); // holds: limit 0=9
}

void set_taps(const float *values, int count)
{
    cudaMemcpyToSymbol(taps, values, count * sizeof(float)); // holds: taps 0=1 4=0.5 8=0 12=0 16=0 20=0
}

void set_level(int n)
{
    // holds-next: level 0=1 | level 0=2
    cudaMemcpyToSymbol(level, &n, sizeof n);
}

void fill(int *where);
void overwrite() { changed = 4; }

int program(int argc, char **argv)
{
    int w = 256;
    cudaMemcpyToSymbol(grid::pitch, &w, sizeof(int)); // holds: grid::pitch 0=256
    cudaMemcpyToSymbolAsync(width, (const void *)&w, 4, 0, cudaMemcpyHostToDevice, 0); // holds: width 0=256
    cudaMemcpyToSymbol("depth", &kDepth, sizeof(int)); // holds: depth 0=16

    Settings s = {w, 0.5f, 1e-3};
    s.last = 7;
    cudaMemcpyToSymbol(settings, &s, sizeof(s)); // holds: settings 0=256 4=0.5 8=0.001 24=7 28=0
    Settings by_name = {.columns = 12, .last = 5};
    cudaMemcpyToSymbol(settings, &by_name, sizeof(Settings)); // holds: settings 0=12 4=0 8=0 24=5 28=0
    Settings read;
    read.columns = atoi(argv[1]);
    read.weight = 2;
    cudaMemcpyToSymbol(settings, &read, sizeof(read)); // holds: settings 4=2 28=0
    Derived d = {};
    cudaMemcpyToSymbol(derived, &d, sizeof(d)); // holds: derived ?

    float h[TAPS] = {1, 0.5f};
    set_taps(h, TAPS);
    cudaMemcpyToSymbol(steps, kSteps, 2 * sizeof(int), sizeof(int)); // holds: steps 4=3 8=4
    cudaMemcpyToSymbol(steps, &kSteps[1], sizeof(int), 2 * sizeof(int)); // holds: steps 8=4
    float3 g = make_float3(0, -9.5f, 1);
    cudaMemcpyToSymbol(gravity, &g, sizeof(g)); // holds: gravity 0=0 4=-9.5 8=1

    set_height(48);
    int nine = 9;
    set_limit(&nine);
    set_level(1);
    set_level(2);

    void *p;
    cudaGetSymbolAddress(&p, rounds);
    cudaMemcpy(p, &w, sizeof(w), cudaMemcpyHostToDevice); // holds: rounds 0=256
    cudaGetSymbolAddress((void **)&p, shown); // holds: shown ?
    use(p);
    CUdeviceptr a;
    size_t bytes;
    cuModuleGetGlobal(&a, &bytes, module, "table_size");
    cuMemcpyHtoD(a, &kDepth, sizeof(int)); // holds: table_size 0=16

    // What may have been written unseen is not known.
    int n = argc;
    cudaMemcpyToSymbol(mode, &n, sizeof(n)); // holds: mode ?
    cudaMemcpyToSymbol(mode, &changed, sizeof(int)); // holds: mode ?
    int filled[4];
    for (int i = 0; i < 4; i++)
        filled[i] = i;
    cudaMemcpyToSymbol(lookup, filled, sizeof(filled)); // holds: lookup ?
    int given[4] = {1, 2, 3, 4};
    fill(given);
    cudaMemcpyToSymbol(lookup, given, sizeof(given)); // holds: lookup ?
    int aliased[4] = {1, 2, 3, 4};
    int *alias = aliased;
    alias[2] = 0;
    cudaMemcpyToSymbol(lookup, aliased, sizeof(aliased)); // holds: lookup ?
    cudaMemcpyToSymbol(lookup, given, sizeof(int), argc); // holds: lookup ?
    int *device;
    cudaMalloc(&device, 16);
    cudaMemcpyToSymbol(lookup, device, 16, 0, cudaMemcpyDeviceToDevice); // holds: lookup ?
}
