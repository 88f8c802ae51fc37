// Numbers of which no grid can be made: none of them is tried beside a grid that is made up.
__global__ void pair(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * m) a[i] = n;
}
int divided(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }
void product(float *a, const int n, const int m) {
    const int blocks = divided(n * m, 256);
    pair<<<blocks, 256>>>(a, n, m); // tried: pair<<<5, 256>>>(n=1280, m=1152) | pair<<<1, 256>>>(n=96, m=160) contradicts
}
void fitting(float *a, const int n, const int m) {
    const int blocks = divided(n * m, 128);
    pair<<<blocks, 128>>>(a, n, m); // tried: pair<<<11719, 128>>>(n=50000, m=30)
}
void nothing(float *a, const int n) {
    pair<<<n / 64, 64>>>(a, n, 5); // tried: pair<<<20, 64>>>(n=1280, m=1152) | pair<<<2, 64>>>(n=96, m=160) contradicts
}
int main() {
    product(nullptr, 50000, 50000);
    fitting(nullptr, 50000, 30);
    nothing(nullptr, 48);
}
