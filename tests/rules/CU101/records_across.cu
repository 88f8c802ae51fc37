// Threads next to each other in structures of different rows: beside each other in a row they would
// lie a structure apart still.
struct State { double rho, mx, my, e; };

__global__ void change(double *out, const State *now, const State *then, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < w && j < h)
        out[j * w + i] = fabs(now[i * h + j].rho - then[i * h + j].rho);  // expect: CU101 "elements of 32 bytes would still lie"
}

// Numbers of their own lie beside each other then.
__global__ void scale(double *out, const double *now, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;  // also: CU101
    if (i < w && j < h)
        out[i * h + j] = 2.0 * now[i * h + j];  // expect: CU101 "make threadIdx.x the fastest varying index"
}

void launch(double *out, const State *now, const State *then, const double *plain)
{
    change<<<dim3(25, 50), dim3(32, 8)>>>(out, now, then, 800, 400);
    scale<<<dim3(25, 50), dim3(32, 8)>>>(out, plain, 800, 400);
}
