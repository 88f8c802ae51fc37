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
void command_line(int argc, char **argv) {
    int n = 512, threads = n, blocks = 1;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) sscanf(argv[2], "%d", &threads);
    small<<<n / threads, threads>>>(n);  // launch: small grid=(1,1,1) block=(512,1,1) n=512 if not `argc > 1` if not `argc > 2`
    int rows = atoi(argv[3]), width = rows;
    if (rows > 1024) {
        blocks = 4;
        width = 1024;
    }
    small<<<blocks, width>>>(rows);  // launch: small grid=(1,1,1) block=? n=? if not `rows > 1024` | small grid=(4,1,1) block=(1024,1,1) n=? if `rows > 1024`
    if (rows > 1024)
        small<<<blocks, 32>>>(blocks);  // launch: small grid=(4,1,1) block=(32,1,1) n=4 if `rows > 1024`
    else
        small<<<blocks, 64>>>(blocks);  // launch: small grid=(1,1,1) block=(64,1,1) n=1 if not `rows > 1024`
    int tile = rows < 64 ? 16 : 32;
    dim3 b(tile, tile);
    if (rows < 64) b.y = 8;
    small<<<1, b>>>(min(rows, 7));  // launch: small grid=(1,1,1) block=(32,32,1) n=? if not `rows < 64`
    do {
        if (rows > 3) n = 3;
        small<<<1, n>>>(n);  // launch: small grid=(1,1,1) block=(3,1,1) n=3 if `rows > 3`
        n++;
    } while (n < rows);
}
