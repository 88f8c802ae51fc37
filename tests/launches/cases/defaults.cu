// Values that the source gives, and what host code asks of them.
__global__ void plain(float *a, int n, int k) { a[2 * k * threadIdx.x + n] = 1; }
void odd_and_even(float *a, int n) {
    int k = 0;
    bool more = true;
    while (more) {
        if (k % 2 == 0) {
            plain<<<1, 64>>>(a, n, k); // tried: plain<<<1, 64>>>(n=1280, k=0) | plain<<<1, 64>>>(n=96, k=0)
        } else {
            plain<<<2, 64>>>(a, n, k); // tried: plain<<<2, 64>>>(n=1280, k=1) | plain<<<2, 64>>>(n=96, k=1)
        }
        more = a != nullptr;
        k++;
    }
}
struct Box { float lo, hi; };
void cells(float *a, Box box, float width) {
    int n = (int)floorf((box.lo - box.hi) / width) + 1;
    plain<<<n / 64, 64>>>(a, n, 2); // tried: plain<<<48, 64>>>(n=3072, k=2)
}
struct Sizes { int n; };
void from_a_file(float *a, Sizes *sizes, bool told) {
    int n = 0;
    if (told) n = sizes->n;
    plain<<<(n + 63) / 64, 64>>>(a, n, 2); // tried: plain<<<20, 64>>>(n=1280, k=2) | plain<<<2, 64>>>(n=96, k=2)
}
void windows(float *a, int height, int pad, int size, int stride) {
    int rows = (height + 2 * pad - size) / stride + 1;
    plain<<<height / 32, 64>>>(a, rows, stride); // tried: plain<<<40, 64>>>(n=2177, k=1) | plain<<<3, 64>>>(n=97, k=2)
}
