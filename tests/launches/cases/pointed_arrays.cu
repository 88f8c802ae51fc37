// What is written through a pointer to an array is in the array, and the other way round.
__global__ void k(float *a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = n; }
struct Plan { int *sizes; };
static void grow(int *sizes) { sizes[1] += 10; }
int main() {
    int sizes[3] = {4, 64, 7}, *p;
    float *a;
    cudaMalloc(&a, 4096);
    p = sizes;
    p[0] = 9;
    sizes[2] = 11;
    Plan plan;
    plan.sizes = sizes;
    plan.sizes[1] = 96;
    grow(sizes);
    k<<<sizes[0], 32>>>(a, p[2]); // tried: k<<<9, 32>>>(n=11)
    k<<<p[0], 64>>>(a, sizes[1]); // tried: k<<<9, 64>>>(n=106)
    return 0;
}
