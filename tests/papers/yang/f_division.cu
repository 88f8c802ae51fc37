// CU702, section V.F: a division of doubles.
__global__ void compute(double *to, const double *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double t = from[i];
    to[i] = exp(-(4.0) / t);
}

void launch(double *to, const double *from) { compute<<<1024, 256>>>(to, from); }
