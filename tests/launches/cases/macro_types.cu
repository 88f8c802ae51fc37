// Types among the arguments of macros that launch; macros that a function defines for itself.
template <typename T, int By> __global__ void filled(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] = T(By);
}
void fill(void *a, int n, bool small) {
#define FILL(TYPE, BY) filled<TYPE, BY><<<n / 64, 64>>>((TYPE *)a, n)
    if (small) {
        FILL(unsigned int, 3); // tried: filled<unsigned int, 3><<<20, 64>>>(n=1280) | filled<unsigned int, 3><<<1, 64>>>(n=96)
    } else {
        FILL(float, 4); // tried: filled<float, 4><<<20, 64>>>(n=1280) | filled<float, 4><<<1, 64>>>(n=96)
    }
#undef FILL
}
__global__ void shaped(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += 1;
}
struct Shape { dim3 threads; };
// Nothing tells the block: one that is usual, not a size of the ladder.
void given(float *a, int n, int wide, Shape shape) {
    shaped<<<n / wide, shape.threads.x>>>(a, n); // tried: shaped<<<1, 256>>>(n=1280) | shaped<<<38, 256>>>(n=6144)
}
