// A kernel that each turn of a loop picks anew: all of them are launched, though few turns are tried.
__global__ void zero(float *a) { a[threadIdx.x] = 0; }
__global__ void one(float *a) { a[threadIdx.x] = 1; }
__global__ void two(float *a) { a[threadIdx.x] = 2; }
__global__ void three(float *a) { a[threadIdx.x] = 3; }
__global__ void four(float *a) { a[threadIdx.x] = 4; }
void each(float *a) {
    void (*kernel)(float *) = &zero;
    for (int k = 0; k < 5; k++) {
        switch (k) {
        case 0: kernel = &zero; break;
        case 1: kernel = &one; break;
        case 2: kernel = &two; break;
        case 3: kernel = &three; break;
        case 4: kernel = &four; break;
        }
        kernel<<<4, 64>>>(a); // tried: zero<<<4, 64>>>() ; one<<<4, 64>>>() ; two<<<4, 64>>>() ; three<<<4, 64>>>() ; four<<<4, 64>>>()
    }
}
