// CU703, section V.F: a double times the loop's counter.
__global__ void compute(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double step = from[i], sum = 0.0;
    for (int k = 0; k < n; k++) {
        double at = step * k;
        sum += sqrt(at);
    }
    to[i] = sum;
}

void launch(double *to, const double *from) { compute<<<1024, 256>>>(to, from, 200); }
