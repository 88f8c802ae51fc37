// A null pointer that the only caller passes is one, where the kernel asks before it goes through.
__global__ void asks(float *a, const float *mask, int n) {
    if (mask) { a[threadIdx.x] += mask[3 * threadIdx.x]; } else { a[threadIdx.x] += n; }
}
__global__ void trusts(float *a, const float *mask, int n) { a[threadIdx.x] += mask[n]; }

void run(float *a, const float *mask, int n) {
    asks<<<n / 64, 64>>>(a, mask, n);  // tried: asks<<<64, 64>>>(mask=0, n=4096)
    trusts<<<n / 64, 64>>>(a, mask, n);  // tried: trusts<<<64, 64>>>(n=4096)
}

int main() {
    float *a;
    cudaMalloc(&a, 4096 * 4);
    run(a, nullptr, 4096);
    float *later = nullptr;
    cudaMalloc(&later, 64);
    asks<<<4, 32>>>(a, later, 1);  // tried: asks<<<4, 32>>>(n=1)
    float *none = NULL;
    asks<<<4, 32>>>(a, none, 2);  // tried: asks<<<4, 32>>>(mask=0, n=2)
}
