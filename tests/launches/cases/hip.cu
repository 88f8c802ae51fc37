// HIP's macro for a launch, which code for both makers' GPUs is written with.
template <int By> __global__ void scaled(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] *= By;
}
void run(float *a) {
    hipLaunchKernelGGL((scaled<3>), dim3(40), dim3(128), 0, 0, a, 5000); // tried: scaled<3><<<40, 128>>>(n=5000)
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scaled<5>), 20, 64, 0, 0, a, 1200); // tried: scaled<5><<<20, 64>>>(n=1200)
}
