// The reciprocal, and a product.
__global__ void compute(double *to, const double *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double t = from[i];
    to[i] = exp(-(1.0 / t) * 4.0);
}

void launch(double *to, const double *from) { compute<<<1024, 256>>>(to, from); }
