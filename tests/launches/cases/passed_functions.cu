// Functions that are called through a parameter, and members behind a typedef's typedef.
struct layer;
typedef struct layer layer;
struct layer { int size; float scale; };
typedef layer dropout_layer;
__global__ void plain(float *a, int n, float by) { a[2 * threadIdx.x * n] += by; }
void halve(float *a, int n, int threads) {
    plain<<<n / threads, threads>>>(a, n, 0.5f); // tried: plain<<<8192, 128>>>(n=1048576, by=0.5)
}
void repeated(void (*run)(float *, int, int), float *a, int n) { run(a, n, 128); }
void measured(void (*run)(float *, int, int), float *a, int n) { repeated(run, a, n); }
int main() { measured(halve, nullptr, 1 << 20); }
void drop(float *a, dropout_layer l) {
    plain<<<l.size / 64, 64>>>(a, l.size, l.scale); // tried: plain<<<20, 64>>>(n=1280, by=1.5) | plain<<<1, 64>>>(n=96, by=1.5)
}
