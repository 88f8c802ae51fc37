// CU701, section V.F: the constant makes the float's arithmetic double.
__global__ void compute(float *to, const float *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = from[i];
    to[i] = exp(-(4.0) / t);
}

void launch(float *to, const float *from) { compute<<<1024, 256>>>(to, from); }
