// A pointer that goes on by fields of a struct in loops of unknown turns: what it comes to hides them,
// and is no index along which rows run.

__global__ void decode(const float *in, float *out, const uint2 dims, const int2 stride)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned columns = dims.x >> 2;
    unsigned x = b % columns * 4, y = b / columns * 4;
    float r[16];
    for (int k = 0; k < 16; k++)
        r[k] = in[k * 65536 + b];
    float *p = out + x * stride.x + y * stride.y;
    if (x + 4 > dims.x || y + 4 > dims.y) {
        unsigned nx = min(dims.x - x, 4), ny = min(dims.y - y, 4);
        for (unsigned j = 0; j < 4; j++)
            if (j < ny) {
                for (unsigned i = 0; i < 4; i++)
                    if (i < nx) {
                        *p = r[4 * j + i];  // undecided: CU101 (stride of a struct)
                        p += stride.x;
                    }
                p += stride.y - nx * stride.x;
            }
    } else {
        for (unsigned j = 0; j < 4; j++, p += stride.y - 4 * stride.x)
            for (unsigned i = 0; i < 4; i++, p += stride.x)
                *p = r[4 * j + i];  // undecided: CU101 (stride of a struct) "may be 1"
    }
}

void launch(const float *in, float *out, uint2 dims, int2 stride)
{
    decode<<<(dims.x * dims.y / 16 + 127) / 128, 128>>>(in, out, dims, stride);
}
