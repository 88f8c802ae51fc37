// Macros whose arguments are statements: what stands first among them counts, too.
#include "not_in_sight.h"

#define TIMED(...) { __VA_ARGS__; }
#define WITH(type, body) { using T = type; body; }
#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)

__global__ void first(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}

__global__ void second(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] -= 1;
}

template <class T>
__global__ void typed(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}

void known(float *a, bool timed) {
    if (timed)
        TIMED(const int n = 5000; first<<<(n + 255) / 256, 256>>>(a, n));  // tried: first<<<20, 256>>>(n=5000)
    else
        second<<<1, 64>>>(a, 64);  // tried: second<<<1, 64>>>(n=64)
}

void two_declared(float *a) {
    TIMED(int n = 5001, m = 129; first<<<(n + m - 1) / m, m>>>(a, n);)  // tried: first<<<39, 129>>>(n=5001)
}

void behind_others(double *a) {
    WITH(double, int n = 5002; int m = 130; typed<<<(n + m - 1) / m, m>>>(a, n))  // tried: typed<double><<<39, 130>>>(n=5002)
}

void out_of_sight(float *a, int kind) {
    DISPATCHED(kind, "first", { int n = 5003; int m = 131; first<<<(n + m - 1) / m, m>>>(a, n); })  // tried: first<<<39, 131>>>(n=5003)
}

void an_expression_of_statements(float *a, int kind) {
    DISPATCHED(kind, ({ int n = 5004; int m = 132; second<<<(n + m - 1) / m, m>>>(a, n); }))  // tried: second<<<38, 132>>>(n=5004)
}

void a_lambda_without_semicolon(float *a, int kind) {
    DISPATCHED(kind, [&] { int n = 5005; int m = 133; second<<<(n + m - 1) / m, m>>>(a, n); })  // tried: second<<<38, 133>>>(n=5005)
}

void macros_that_launch_are_read_as_such(float *a) {
    LAUNCH(first, 3, 96, a, 288);  // tried: first<<<3, 96>>>(n=288)
}
