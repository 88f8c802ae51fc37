// The condition under which a kernel is chosen holds for the numbers that it is launched with.
#define CHECK_COUNT(condition) if (!(condition)) return
#define CHECK_LE(a, b) if (!((a) <= (b))) return

template <int Lines>
__global__ void search(float *a, int lines, int n) {
    if (threadIdx.x < n) a[threadIdx.x * lines] = Lines;
}

void by_an_arm(float *a, int lines, int n) {
    auto kernel = lines == 4 ? search<4> : search<-1>;
    kernel<<<n / 64, 64>>>(a, lines, n);  // tried: search<4><<<20, 64>>>(lines=4, n=1280) | search<4><<<1, 64>>>(lines=4, n=96) ; search<-1><<<20, 64>>>(lines=1152, n=1280) | search<-1><<<1, 64>>>(lines=160, n=96)
}

void by_a_branch(float *a, int lines, int n) {
    void (*kernel)(float *, int, int);
    if (lines == 8)
        kernel = search<8>;
    else
        kernel = search<16>;
    kernel<<<n / 64, 64>>>(a, lines, n);  // tried: search<8><<<20, 64>>>(lines=8, n=1280) | search<8><<<1, 64>>>(lines=8, n=96) ; search<16><<<20, 64>>>(lines=1152, n=1280) | search<16><<<1, 64>>>(lines=160, n=96)
}

__global__ void nearest(float *a, int k, int m) { a[threadIdx.x * k + m] = 1; }

void asserted(float *a, int k, int m) {
    CHECK_COUNT(k <= 100);
    CHECK_LE(m, 500);
    nearest<<<m, 64>>>(a, k, m);  // tried: nearest<<<480, 64>>>(k=96, m=480) | nearest<<<96, 64>>>(k=96, m=96)
}
