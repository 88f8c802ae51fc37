// Values that come through calls: one launch site for each way in.
template <typename T, int B>
__global__ void k(T *a, int n) { a[threadIdx.x] = n; }
__global__ void plain(float *a, int n) {}
__global__ void other(float *a, int n) {}

void wrapper(float *a, int n, int block) {
    plain<<<(n + block - 1) / block, block>>>(a, n);  // launch: plain grid=(8,1,1) block=(128,1,1) n=1000 | plain grid=(2,1,1) block=(512,1,1) n=1000
}
void defaulted(float *a, int block = 192) {
    plain<<<1, block>>>(a, 1);  // launch: plain grid=(1,1,1) block=(192,1,1)
}
void shaped(float *a, dim3 grid, const dim3 &block) {
    plain<<<grid, block.x * block.y>>>(a, grid.y);  // launch: plain grid=(2,3,1) block=(128,1,1) n=3
}
void never_called(float *a, int block) {
    plain<<<1, block>>>(a, 1);  // launch: plain grid=(1,1,1) block=?
}
template <typename T, int B>
void host(T *a) {
    k<T, B * 2><<<1, B * 2, B * sizeof(T)>>>(a, B);  // launch: k<double,128> grid=(1,1,1) block=(128,1,1) shared=512 n=64 | k<float,64> grid=(1,1,1) block=(64,1,1) shared=128 n=32
}
template <int B = 256>
void guarded(float *a, int threads) {
    dim3 block(threads, 1, 1);
    switch (threads) {
        case 512:
            k<float, 512><<<1, block>>>(a, 1);  // launch: k<float,512> grid=(1,1,1) block=(512,1,1)
            break;
        case 256:
        case 128:
            k<float, 128><<<1, block>>>(a, 1);  // launch: k<float,128> grid=(1,1,1) block=?
            break;
        case 64:
            k<float, 64><<<1, block>>>(a, 1);  // launch: k<float,64> grid=(1,1,1) block=(64,1,1)
    }
    if (threads == 32 && a) {
        k<float, 32><<<1, block>>>(a, 1);  // launch: k<float,32> grid=(1,1,1) block=(32,1,1)
    } else if (threads == 16 || a) {
        k<float, 16><<<1, block>>>(a, 1);  // launch: k<float,16> grid=(1,1,1) block=?
    }
}
void table(float *a) {
    int sizes[] = {32, 1024};
    for (int i = 0; i < 2; i++) {
        int block = sizes[i];
        plain<<<4096 / block, block>>>(a, 1);  // launch: plain grid=(128,1,1) block=(32,1,1) | plain grid=(4,1,1) block=(1024,1,1)
    }
}
void pointer(float *a, int which) {
    void (*f)(float *, int) = &plain;
    if (which) f = &other;
    f<<<1, 32>>>(a, 1);  // launch: plain grid=(1,1,1) block=(32,1,1) | other grid=(1,1,1) block=(32,1,1) if `which`
}
void overwritten(float *a, int block) {
    block = 48.9;
    plain<<<1, block>>>(a, 1);  // launch: plain grid=(1,1,1) block=(48,1,1)
}
void recursive(float *a, int block) {
    plain<<<1, block>>>(a, 1);  // launch: plain grid=(1,1,1) block=(16,1,1)
    if (block > 1) recursive(a, block / 2);
}

int main() {
    const int n = 1000;
    float *a = nullptr;
    wrapper(a, n, 128);
    wrapper(a, n, 4 * 128);
    shaped(a, dim3(2, 3), dim3(32, 4));
    host<double, 64>(nullptr);
    host<float, 32>(a);
    recursive(a, 16);
}
