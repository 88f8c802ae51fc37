// What a case of a switch sets before a launch, where the switch's value is known: none but the case that is
// selected, and those that it falls through to. Where it is not known, or a `break` may leave a case early,
// all is as it was.
__global__ void counted(float *a, int n) { a[threadIdx.x] += n; }
__global__ void by_kind(float *a, int n) { a[threadIdx.x] -= n; }
int of(int kind) {
    int n = 64;
    switch (kind) {
    case 1: n = 96; break;
    case 2:
    case 3: n = 160; break;
    case 4: n = 192;
    case 5: n += 32; break;
    default: break;
    }
    return n;
}
int left_early(int kind, bool early) {
    int n = 64;
    switch (kind) {
    case 1:
        if (early) break;
        n = 96;
        break;
    }
    return n;
}
void run(float *a, int kind, bool early) {
    counted<<<1, 32>>>(a, of(1)); // tried: counted<<<1, 32>>>(n=96)
    counted<<<1, 32>>>(a, of(2)); // tried: counted<<<1, 32>>>(n=160)
    counted<<<1, 32>>>(a, of(7)); // tried: counted<<<1, 32>>>(n=64)
    counted<<<1, 32>>>(a, left_early(2, early) + 1); // tried: counted<<<1, 32>>>(n=65)
    by_kind<<<1, 32>>>(a, of(kind)); // tried: by_kind<<<1, 32>>>(n=1152) | by_kind<<<1, 32>>>(n=160)
    by_kind<<<2, 32>>>(a, left_early(1, early)); // tried: by_kind<<<2, 32>>>(n=1280) | by_kind<<<2, 32>>>(n=96)
}
void ask(float *a) {
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int major = prop.major, minor = prop.minor, cores = -1;
    switch (major) {
    case 2:
        if (minor == 1) cores = prop.multiProcessorCount * 48;
        else cores = prop.multiProcessorCount * 32;
        break;
    case 3: cores = prop.multiProcessorCount * 192; break;
    default: break;
    }
    if (cores == -1) cores = prop.multiProcessorCount * 128;
    counted<<<2, 32>>>(a, cores); // tried: counted<<<2, 32>>>(n=13824)
}
