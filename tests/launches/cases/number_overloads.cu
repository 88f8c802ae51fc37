// Overloads for numbers: a call means the one whose parameters are of its arguments' types.
#include <cstdint>
#define FOR_HOST __host__
#define FOR_BOTH FOR_HOST __device__
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
inline FOR_BOTH int32_t parts(int32_t a, int32_t b) { return (a + b - 1) / b; }
uint32_t parts(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
int64_t parts(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline FOR_BOTH uint64_t parts(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
int times(int a) { return 2 * a; }
float times(float a) { return 3 * a; }
void run(float *a, size_t many, int some) {
    fill<<<parts((int)many, 128), 128>>>(a, some); // tried: fill<<<8, 128>>>(n=70)
    fill<<<parts(many, (size_t)64), 64>>>(a, some); // tried: fill<<<16, 64>>>(n=70)
    fill<<<parts(some, 32), 32>>>(a, times(some)); // tried: fill<<<3, 32>>>(n=140)
    fill<<<1, 32>>>(a, times(2.0f)); // tried: fill<<<1, 32>>>(n=6)
    fill<<<parts(some, 32u), 32>>>(a, 5); // tried: fill<<<1280, 32>>>(n=5) | fill<<<96, 32>>>(n=5)
}
int main() { run(nullptr, 1000, 70); }
