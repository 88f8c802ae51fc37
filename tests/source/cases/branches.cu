// Alternatives that exclude each other, and branches that a value rules out.
__global__ void k(int n, int m) {}
__global__ void small(int n) {}
void pairs(int which) {
    const int widths[] = {16, 32, 64}, heights[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        k<<<1, dim3(widths[i], heights[i])>>>(widths[i], heights[0]);  // launch: k grid=(1,1,1) block=(16,1,1) n=16 | k grid=(1,1,1) block=(32,2,1) n=32 | k grid=(1,1,1) block=(64,4,1) n=64
    }
}
void sized(int n) {
    if (n <= 256) {
        small<<<1, n>>>(n);  // launch: small grid=(1,1,1) block=(64,1,1) n=64
    } else if (n < 4096)
        small<<<n / 256, 256>>>(n);  // launch: small grid=(4,1,1) block=(256,1,1) n=1024
    else
        small<<<n / 512, 512>>>(n);  // launch: small grid=(128,1,1) block=(512,1,1) n=65536
}
void by_case(int n) {
    switch (n) {
        case 32:
            small<<<1, n>>>(32);  // launch: small grid=(1,1,1) block=(32,1,1) n=32
            break;
        case 64:
            small<<<1, n>>>(64);  // launch: small grid=(1,1,1) block=(64,1,1) n=64
            break;
    }
}
void guarded(int n) { small<<<1, n>>>(n); }  // launch: small grid=(1,1,1) block=(128,1,1) n=128
void choose(int n) {
    if (n == 128) guarded(n);
    if (n == 129) guarded(n + 1);
}
int main() {
    sized(64);
    sized(1024);
    sized(1 << 16);
    by_case(32);
    by_case(33);
    choose(128);
}
