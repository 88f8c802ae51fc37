// A pixel written channel by channel through a pointer into the image.
__global__ void gradient(unsigned char *image, int width, int height, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned char *pixel = image + 4 * (y * width + x);
    pixel[0] = x + t;  // expect: CU103 "uchar4"
    pixel[1] = y + t;
    pixel[2] = 0;
    pixel[3] = 255;
}

// The same as a structure, which a byte's alignment keeps apart.
struct Colour {
    unsigned char r, g, b, a;
};

__global__ void copy(Colour *to, const Colour *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];  // expect: CU103 "uchar4"; CU103
}

void launch(unsigned char *image)
{
    gradient<<<dim3(64, 128), dim3(32, 8)>>>(image, 2048, 1024, 3);
    Colour *a, *b;
    cudaMalloc(&a, 65536 * sizeof(Colour));
    cudaMalloc(&b, 65536 * sizeof(Colour));
    copy<<<256, 256>>>(a, b);
}
