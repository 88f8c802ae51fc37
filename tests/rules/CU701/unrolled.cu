// What is done each time, however many copies the compiler makes of the loop's body.
__global__ void scaled(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += in[k * 256 + threadIdx.x] / 3.14159;  // expect: CU701 "2 f64 instructions each time"
    out[threadIdx.x] = sum;
}

void launch(float *out, const float *in) { scaled<<<64, 256>>>(out, in, 1000); }
