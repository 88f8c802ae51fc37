// A part that nobody uses is in no access: it is not said to be.
struct Point { float x, y, z; };

__global__ void part(const Point *p, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float y = p[i].y;  // expect: CU102
    out[i] = y;
    float x = p[i].x;
    float again = p[i].y;  // expect: CU503
    float z = p[i].z;
    out[i + n] = x + again;
}

void launch(const Point *p, float *out)
{
    part<<<4096, 256>>>(p, out, 1 << 20);
}
