// A row of a table, chosen by its name.
// run: ./app wide
#include <cstring>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Shape { int n, m; };
struct Named { const char *name; Shape shape; };
static const Named kNamed[] = {{"tiny", {100, 1}}, {"wide", {900, 4}}, {"deep", {500, 9}}};
int main(int argc, char **argv) {
    const Named *found = nullptr;
    for (const Named &each : kNamed)
        if (!strcmp(each.name, argv[1])) found = &each;
    if (!found) return 1;
    const Shape s = found->shape;
    float *a;
    cudaMalloc(&a, 4096);
    k<<<(s.n + 63) / 64, 64>>>(a, s.n, s.m);  // tried: k<<<15, 64>>>(n=900, m=4); told: n=900 m=4
}
