// One byte a thread beside much that is wider: to take four elements a thread would change it all.
__global__ void colours(float *x, float *y, float *z, uchar4 *colour, const double *px, const double *py, const double *pz, const unsigned char *cluster, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[i] = (float)px[i];
    y[i] = (float)py[i];
    z[i] = (float)pz[i];
    unsigned char c = cluster[i];  // undecided: CU103 (the rule's own) "no byte less"
    unsigned char *to = (unsigned char *)&colour[i];
    to[0] = c * 37;  // expect: CU103 "4 bytes"
    to[1] = c * 91;
    to[2] = c * 53;
    to[3] = 255;
}

void launch(float *x, uchar4 *colour, const double *p, const unsigned char *cluster)
{
    int n = 1 << 20;
    colours<<<4096, 256>>>(x, x + n, x + 2 * n, colour, p, p + n, p + 2 * n, cluster, n);
}
