// An array that a function allocates, fills and returns, or leaves behind a pointer, is read where it
// is called.
#include <vector>

#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void made(const float *a, float *b) { b[I] = a[I]; }
__global__ void twice(const float *a, float *b) { b[I] = a[3 * I]; }
__global__ void filled(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void left(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void counted(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void kept(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void handed(const int *index, const float *a, float *b) { b[I] = a[index[I]]; }
__global__ void either(const float *a, float *b) { b[I] = a[I]; }

float *floats(size_t n) {
    void *p = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    return (float *)p;
}
template <class T> T *upload(const std::vector<T> &v) {
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <class T> void upload_to(T **d, const T *h, int n) {
    cudaMalloc((void **)d, n * sizeof(T));
    cudaMemcpy(*d, h, n * sizeof(T), cudaMemcpyHostToDevice);
}
int *same(int *p) { return p; }
float *of_size(bool large, int n) {
    float *d;
    if (large) cudaMalloc(&d, 4 * n); else cudaMalloc(&d, n);
    return d;
}

int main(int argc, char **argv) {
    const int n = 4096;
    float *a = floats(n), *b = floats(n);
    made<<<n / 64, 64>>>(a, b);  // tried: made<<<64, 64>>>()
    // passed: a=16,384 bytes, b=16,384 bytes

    float *c = floats(3 * n);  // another call of it
    twice<<<n / 64, 64>>>(c, b);  // tried: twice<<<64, 64>>>()
    // passed: a=49,152 bytes, b=16,384 bytes

    std::vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = n - 1 - i;
    int *d = upload(h);
    filled<<<n / 64, 64>>>(d, a, b);  // tried: filled<<<64, 64>>>()
    // passed: index=16,384 bytes: element i is -i + 4095

    int *e;
    upload_to(&e, h.data(), n);
    left<<<n / 64, 64>>>(e, a, b);  // tried: left<<<64, 64>>>()
    // passed: index=16,384 bytes

    int *f = upload(std::vector<int>(n, 3));
    counted<<<n / 64, 64>>>(f, a, b);  // tried: counted<<<64, 64>>>()
    // passed: index=16,384 bytes

    // another name may write it
    int *g = upload(h);
    int *other = same(g);
    cudaMemset(other, 0, 4);
    kept<<<n / 64, 64>>>(g, a, b);  // tried: kept<<<64, 64>>>()
    // passed: index=16,384 bytes

    int *j = upload(h), *k = same(j);
    handed<<<n / 64, 64>>>(k, a, b);  // tried: handed<<<64, 64>>>()
    // passed: index=16,384 bytes

    float *m = of_size(argc > 1, n);
    either<<<n / 64, 64>>>(m, b);  // tried: either<<<64, 64>>>()
    // passed: a=array
}
