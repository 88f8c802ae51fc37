// Three bytes a pixel from half rows of 48: a request touches a sector more, which L2 fills with
// what the next block stores. Behind an iteration of hundreds of instructions that is nothing.
__device__ uchar3 shade(float x, float y)
{
    return make_uchar3(x * 255.0f, y * 255.0f, (x + y) * 127.0f);
}

__global__ void basins(uchar3 *out, int turns)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    float x = px / 512.0f - 1.0f, y = py / 512.0f - 1.0f;
    for (int k = 0; k < turns; k++) {
        float d = x * x + y * y, c = x * x - y * y;
        x = (2.0f * x + __fdividef(c, d * d + 0.001f)) * 0.333f;
        y = (2.0f * y - __fdividef(2.0f * x * y, d * d + 0.001f)) * 0.333f;
    }
    out[py * 1024 + px] = shade(x, y);  // undecided: CU103 (the rule's own)
}

__global__ void ramp(uchar3 *out)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    out[py * 1024 + px] = shade(px / 1024.0f, py / 1024.0f);  // expect: CU103
}

void launch(uchar3 *out)
{
    basins<<<dim3(64, 64), dim3(16, 16)>>>(out, 16);  // undecided: CU401 (the rule's own)
    ramp<<<dim3(64, 64), dim3(16, 16)>>>(out);  // expect: CU401 "4 sectors per request where 3 would do"
}
