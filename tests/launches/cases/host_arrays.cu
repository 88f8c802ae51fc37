// What the host puts into an array that no kernel writes is what a kernel finds in it. One use that is
// not plain, and it is made up.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) exit(1); } while (0)
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void by_eights(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void flagged(const char *flag, float *b) { if (flag[I] == 0) b[I] = 1.0f; }
__global__ void rows(const int *start, const float *a, float *b) {
    float sum = 0.0f;
    for (int j = start[I]; j < start[I + 1]; j++) sum += a[j];
    b[I] = sum;
}
__global__ void alike(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void counted(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void turned(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void managed(int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void of_rows(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void modulo(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void summed(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void once(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void partly(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void aliased(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void cleared(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void clears(int *index) { index[I] = 0; }
__global__ void twice(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void others(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void floats(const float *x, float *b) { b[I] = x[I]; }

void backwards(int *p, int count) { for (int k = 0; k < count; k++) p[k] = count - 1 - k; }
void wrapped(const int *index, float *a, float *b, int blocks) {
    turned<<<blocks, 64>>>(index, a, b);  // tried: turned<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is -i + 4095
}
void unseen(int *p);

int program(int argc, char **argv) {
    const int n = 4096, per = 16;
    const size_t bytes = n * sizeof(int);
    float *a, *b;
    cudaMalloc(&a, per * bytes);
    cudaMalloc(&b, bytes);

    int *h = (int *)malloc(bytes), *d;
    for (int i = 0; i < n; ++i) { h[i] = i * 8; }
    CHECK(cudaMalloc((void **)&d, bytes));
    CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    for (int turn = 0; turn < 3; turn++)
        by_eights<<<n / 64, 64>>>(d, a, b);  // tried: by_eights<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is 8*i
    char *s;
    cudaMalloc(&s, n);
    cudaMemset(s, 0, n);
    flagged<<<64, 64>>>(s, b);  // tried: flagged<<<64, 64>>>()
    // passed: flag=4,096 bytes: all 0

    std::vector<int> first(n + 1), same(n, 3), numbers(n);
    for (int i = 0; i <= n; i++) first[i] = i * per;
    std::iota(numbers.begin(), numbers.end(), 5);
    int *f, *e, *c, *p;
    cudaMalloc(&f, bytes + 4);
    cudaMalloc(&e, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&p, bytes);
    cudaMemcpy(f, first.data(), bytes + 4, cudaMemcpyHostToDevice);
    cudaMemcpy(e, &same[0], bytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(c, numbers.data(), bytes, cudaMemcpyHostToDevice);
    int *reversed = new int[n];
    backwards(reversed, n);
    cudaMemcpy(p, reversed, bytes, cudaMemcpyHostToDevice);
    rows<<<64, 64>>>(f, a, b);  // tried: rows<<<64, 64>>>()
    // passed: start=16,388 bytes: element i is 16*i
    alike<<<64, 64>>>(e, a, b);  // tried: alike<<<64, 64>>>()
    // passed: index=16,384 bytes: all 3
    counted<<<64, 64>>>(c, a, b);  // tried: counted<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is i + 5
    wrapped(p, a, b, n / 64);
    int *m;
    cudaMallocManaged(&m, bytes);
    for (int i = 0; i < n; i++) m[i] = i;
    managed<<<64, 64>>>(m, a, b);  // tried: managed<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is i
    int grid[64 * 64], *g;
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++) grid[y * 64 + x] = 64 * y + x;
    cudaMalloc(&g, sizeof(grid));
    cudaMemcpy(g, grid, sizeof(grid), cudaMemcpyHostToDevice);
    of_rows<<<64, 64>>>(g, a, b);  // tried: of_rows<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is i

    // not the one, or not for sure
    int *q, *r, *t, *u, *v, *w, *o;
    int *h2 = new int[n], *h3 = new int[n], *h4 = new int[n], *h5 = new int[n], *h6 = new int[n];
    for (int i = 0; i < n; i++) h2[i] = i % 4000;
    int sum = 0;
    for (int i = 0; i < n; i++) { h3[i] = sum; sum += i; }
    if (argc > 1)
        for (int i = 0; i < n; i++) h4[i] = i;
    std::vector<int> some(n, 1);
    for (int i = 0; i < 100; i++) some[i] = 7;
    for (int i = 0; i < n; i++) h5[i] = i;
    int *other = h5;
    unseen(other);
    for (int i = 0; i < n; i++) h6[i] = i;
    unseen(h6);
    cudaMalloc(&q, bytes);
    cudaMalloc(&r, bytes);
    cudaMalloc(&t, bytes);
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&w, bytes);
    cudaMalloc(&o, bytes);
    cudaMemcpy(q, h2, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(r, h3, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(t, h4, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(u, some.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(v, h5, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(w, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(o, h6, bytes, cudaMemcpyHostToDevice);
    modulo<<<64, 64>>>(q, a, b);  // tried: modulo<<<64, 64>>>()
    // passed: index=16,384 bytes
    summed<<<64, 64>>>(r, a, b);  // tried: summed<<<64, 64>>>()
    // passed: index=16,384 bytes
    once<<<64, 64>>>(t, a, b);  // tried: once<<<64, 64>>>()
    // passed: index=16,384 bytes
    partly<<<64, 64>>>(u, a, b);  // tried: partly<<<64, 64>>>()
    // passed: index=16,384 bytes
    aliased<<<64, 64>>>(v, a, b);  // tried: aliased<<<64, 64>>>()
    // passed: index=16,384 bytes
    clears<<<64, 64>>>(w);  // tried: clears<<<64, 64>>>()
    cleared<<<64, 64>>>(w, a, b);  // tried: cleared<<<64, 64>>>()
    // passed: index=16,384 bytes
    twice<<<64, 64>>>(c, a, b);  // tried: twice<<<64, 64>>>()
    // passed: index=16,384 bytes
    twice<<<64, 64>>>(e, a, b);
    others<<<64, 64>>>(o, a, b);  // tried: others<<<64, 64>>>()
    // passed: index=16,384 bytes
    float *ones = (float *)calloc(n, sizeof(float)), *x;
    cudaMalloc(&x, bytes);
    cudaMemcpy(x, ones, bytes, cudaMemcpyHostToDevice);
    floats<<<64, 64>>>(x, b);  // tried: floats<<<64, 64>>>()
    // passed: x=16,384 bytes
    delete[] reversed;
    free(h);
}
