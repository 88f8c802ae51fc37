// Tables whose element is the block's affair, and set up by each thread for itself.
__global__ void component(double *out, const double *in, int n)
{
    double sum = 0.0;
    for (int k = 0; k < (n - 1) / 256 + 1; k++) {
        int i = threadIdx.x + k * 256;
        if (i < n) {
            int a[9] = {0, 1, 2, 0, 0, 1, 1, 2, 2};  // also: CU107
            int b[9] = {0, 1, 2, 1, 2, 2, 0, 0, 1};  // also: CU107
            sum += in[i + n * a[blockIdx.x]] * in[i + n * b[blockIdx.x]];  // expect: CU107 "`a`" "declare it `__constant__`"; CU107 "`b`"  // also: CU404
        }
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void launch(double *out, const double *in)
{
    component<<<9, 256>>>(out, in, 40000);  // expect: CU404
}
