// Conditions inside macros that launch are asked of the values; macros need no semicolon behind them.
template <int Rows> __global__ void rows(float *a, int n, int wide) {
    int i = blockIdx.x * Rows + threadIdx.x;
    if (i < n) a[2 * i] += wide;
}
#define WHEN(N) if (wide >= N) { rows<N / 32><<<n / 32, 32>>>(a, n, wide); return; }
void in_a_row(float *a, int n, int wide) {
    WHEN(4096) // tried: rows<128><<<40, 32>>>(n=1280, wide=4096) | rows<128><<<3, 32>>>(n=96, wide=4096)
    WHEN(2048) // tried: rows<64><<<40, 32>>>(n=1280, wide=2048) | rows<64><<<3, 32>>>(n=96, wide=2048)
}
#define OTHERWISE(N) else if (wide == N) { rows<N><<<n / 32, 32>>>(a, n, wide); }
void chained(float *a, int n, int wide) {
    if (wide < 8) {
        return;
    }
    OTHERWISE(48) // tried: rows<48><<<40, 32>>>(n=1280, wide=48) | rows<48><<<3, 32>>>(n=96, wide=48)
}
#define CASE(N) case N: rows<N><<<n / 32, 32>>>(a, n, wide); break;
void switched(float *a, int n, int wide) {
    switch (wide) {
        CASE(40) // tried: rows<40><<<40, 32>>>(n=1280, wide=40) | rows<40><<<3, 32>>>(n=96, wide=40)
        CASE(80) // tried: rows<80><<<40, 32>>>(n=1280, wide=80) | rows<80><<<3, 32>>>(n=96, wide=80)
    }
}
