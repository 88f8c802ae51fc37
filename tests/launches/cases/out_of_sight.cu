// A size that is computed, and that a function out of sight is given by its name, stays as it is.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void other(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void kept(float *a, float *sums, int n) {
    int blocks = (n + 255) / 256;
    if (blocks == 0) blocks = 1;
    plain<<<blocks, 256>>>(a, n);  // tried: plain<<<5, 256>>>(n=1280) | plain<<<1, 256>>>(n=96)
    lib::Scan::exclusive(sums, sums, blocks);
    plain<<<blocks, 128>>>(a, n);  // tried: plain<<<5, 128>>>(n=1280) | plain<<<1, 128>>>(n=96)
}
// What is given by its address is not known, nor is a number that is filled in.
void changed(float *a, int n) {
    int address = (n + 255) / 256;
    if (address == 0) address = 1;
    lib_fill(a, &address);
    other<<<address, 64>>>(a, n);  // tried: other<<<1280, 64>>>(n=1152) | other<<<96, 64>>>(n=160)
    int counted = 0;
    lib_count(a, counted);
    other<<<counted, 64>>>(a, 1);  // tried: other<<<2048, 64>>>(n=1)
}
