// Tables of kernels that are written element by element, some of them in the cases of a switch.
__global__ void kx(float *a, int n) { a[threadIdx.x] += n; }
__global__ void ky(float *a, int n) { a[threadIdx.x] -= n; }
__global__ void kz(float *a, int n) { a[threadIdx.x] *= n; }
__global__ void kw(float *a, int n) { a[threadIdx.x] = n; }

void run(int dimension, float *a) {
    void (*kernels[2])(float *, int);
    switch (dimension) {
    case 0:
        kernels[0] = kx;
        kernels[1] = ky;
        break;
    case 1:
        kernels[0] = kz;
        kernels[1] = kw;
        break;
    }
    for (int p = 0; p < 2; p++)
        kernels[p]<<<4 + dimension, 32 << p>>>(a, p);  // tried: kw<<<5, 64>>>(n=1) ; kx<<<4, 32>>>(n=0) ; ky<<<4, 64>>>(n=1) ; kz<<<5, 32>>>(n=0)
}

// Nobody calls it: the case says what `kind` is.
void asked(int kind, float *a) {
    void (*kernels[2])(float *, int);
    switch (kind) {
    case 3: kernels[0] = kx; break;
    case 7: kernels[0] = kz; break;
    }
    kernels[1] = kw;
    kernels[0]<<<kind, 64>>>(a, kind);  // tried: kx<<<3, 64>>>(n=3) ; kz<<<7, 64>>>(n=7)
}

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    run(0, a);
    run(1, a);
}
