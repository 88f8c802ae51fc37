// Namespaces that macros open, known and out of sight: the declaration behind one is still seen.
#define BEGIN_MINE namespace mine { namespace inner {
#define END_MINE } }

BEGIN_MINE

template <typename T>
__global__ void copies(const T *a, int n, T *b) { if (threadIdx.x < n) b[threadIdx.x] = a[threadIdx.x]; }

template <typename T>
void launch(const T *a, int n, T *b) {
    copies<<<n / 64, 64>>>(a, n, b); // tried: copies<float><<<10, 64>>>(n=640)
}

void run(const float *a, float *b) { launch(a, 640, b); }

END_MINE

PROJECT_NAMESPACE_BEGIN

__global__ void clears(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }

void clear(int *a) {
    clears<<<4, 128>>>(a, 500); // tried: clears<<<4, 128>>>(n=500)
}

PROJECT_NAMESPACE_END
