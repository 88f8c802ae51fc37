// A block that nobody can read makes roots; a member that can be read stays what it is.
__global__ void scale(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
__global__ void copy(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}
int blocksize();
struct Made {
    int n;
    Made(int n) : n(n) {}
};
struct Plain {
    int n;
};

int main()
{
    float *d;
    cudaMalloc(&d, 200000);
    const int t = blocksize();
    Made made(50000);
    copy<<<(made.n + t - 1) / t, t>>>(d, made.n);  // tried: copy<<<196, 256>>>(n=50000)
    Plain set;
    set.n = 30000;
    scale<<<(set.n + 255) / 256, 256>>>(d, set.n);  // tried: scale<<<118, 256>>>(n=30000)
}
