// Short rows scatter every access: that is told once, at the launch. What wider blocks leave as it is
// stays a finding of its own.
__global__ void invert(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 255 - in[y * w + x];  // also: CU101
}

__global__ void pixels(uchar3 *out, const uchar3 *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];  // expect: CU103 // also: CU103
}

__global__ void every_fourth(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] =  // also: CU101
        in[4 * (y * w + x)];  // expect: CU101
}

// The same accesses, launched with rows that are long enough by one launch and too short by another.
__global__ void both(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 255 - in[y * w + x];  // also: CU101
}

// x and y are exchanged: blocks of fewer columns would pack the accesses, and hide what is wrong.
__global__ void exchanged(float *out, const float *in, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * h + y] = in[x * h + y];  // expect: CU101  // also: CU101
}

// The block's shape is what the code counts on: nothing better can be run.
__global__ void fixed(unsigned char *out, const unsigned char *in, int w)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * w + x] = 255 - in[y * w + x];  // expect: CU101  // also: CU101
}

void launch(unsigned char *c, uchar3 *p, float *f)
{
    invert<<<dim3(128, 128), dim3(8, 8)>>>(c, c, 1024);  // expect: CU402
    pixels<<<dim3(128, 128), dim3(8, 8)>>>(p, p, 1024);  // expect: CU402
    every_fourth<<<dim3(256, 16), dim3(4, 64)>>>(f, f, 1024);  // expect: CU402
    both<<<dim3(128, 128), dim3(8, 8)>>>(c, c, 1024);  // expect: CU402
    both<<<dim3(16, 256), dim3(64, 4)>>>(c, c, 1024);
    exchanged<<<dim3(64, 64), dim3(16, 16)>>>(f, f, 1024);  // refuted: CU401 (nothing to report) "go along y"
    fixed<<<dim3(128, 128), dim3(8, 8)>>>(c, c, 1024);
}

// Of several instances at one launch the worst is shown, with the places of all.
template <typename T> __global__ void crop(T *out, const T *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];  // also: CU101
}

template <typename T> void cropped(T *out, const T *in)
{
    crop<T><<<dim3(128, 128), dim3(8, 8)>>>(out, in, 1024);  // expect: CU402 "also in"
}

void launch_all(unsigned char *c, float *f)
{
    cropped<unsigned char>(c, c);
    cropped<float>(f, f);
}
