// Elements below a word: Yang, Xiang, Mantor, Zhou, section V.A.1, data types smaller than float.
#include <cuda_fp16.h>

__global__ void copy(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];  // expect: CU103 "load from `in`" "4 requests for 128 bytes" "uchar4" // also: CU103
}

__global__ void colours(unsigned char *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    out[4 * i] = v;  // expect: CU103 "store to `out`" "one uchar4 store"
    out[4 * i + 1] = 2.0f * v;
    out[4 * i + 2] = 3.0f * v;
    out[4 * i + 3] = 255;
}

__global__ void to_grey(unsigned char *grey, const unsigned char *rgb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2];  // expect: CU103 "3 words of 4 bytes"
    grey[i] = sum / 3;  // also: CU103
}

// Three of an element's four halves: the load of all four costs no more.
struct Colour { __half r, g, b, a; };

__global__ void brightness(float *out, const Colour *pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = pixels[i].r;  // expect: CU103 "whole, with one uint2 load"
    float g = pixels[i].g;
    float b = pixels[i].b;
    out[i] = 0.3f * r + 0.6f * g + 0.1f * b;
}

__global__ void half_sum(__half *out, const __half *a, const __half *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __hadd(a[i], b[i]);  // expect: CU103 "load from `a`" "2 requests" "__half2" // also: CU103
}

__global__ void shorts(short *out, const short *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = 2 * in[y * w + x];  // expect: CU103 "load from `in`" "`w` a multiple of 2" // also: CU103
}

// --- what looks alike

__global__ void words(uchar4 *out, const uchar4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // ok
}

__global__ void half_pairs(__half2 *out, const __half2 *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __hadd2(a[i], a[i]);  // ok
}

__global__ void table(float *out, const int *in, const unsigned char *lut)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = lut[in[i] & 255];
}

__global__ void flags(float *out, const float *in, const bool *wanted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (wanted[i])
        out[i] = in[i];  // ok: a thread's own switch
}

__global__ void mostly_words(float *out, const float *a, const float *b, const float *c,
                             const char *kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] * b[i] + c[i] * kind[i];  // undecided: CU103 (the rule's own) "less than a quarter"
}

// Shorts that become pairs of floats: what is stored keeps memory busy.
__global__ void to_pairs(float2 *out, const short2 *in, const short *gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float by = gain[i];  // undecided: CU103 (the rule's own) "less than a quarter"
    out[i] = make_float2(in[i].x * by, in[i].y * by);
}

// To halves, it is half of all.
__global__ void to_halves(__half *out, const short *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __float2half(in[i] * 0.5f);  // expect: CU103
}

__global__ void seldom(unsigned char *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] > 3.0f)
        out[i] = 1;  // ok: who writes depends on data
}

__global__ void remainder_of_words(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, words = n / 1024 * 256;
    for (; i < words; i += gridDim.x * blockDim.x)
        ((uchar4 *)out)[i] = ((const uchar4 *)in)[i];
    for (i = 4 * words + threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i];  // ok: what words leave over, however much that is of an invented size
}

void launch(unsigned char *a, unsigned char *b, float *c, __half *h, bool *f, int *n)
{
    copy<<<64, 256>>>(a, b, 16384);
    colours<<<64, 256>>>(a, c);
    to_grey<<<64, 256>>>(a, b);
    half_sum<<<64, 256>>>(h, h, h);
    brightness<<<64, 256>>>(c, (Colour *)a);
    shorts<<<dim3(32, 128), dim3(32, 8)>>>((short *)a, (short *)b, 1024);
    words<<<64, 256>>>((uchar4 *)a, (uchar4 *)b);
    half_pairs<<<64, 256>>>((__half2 *)h, (__half2 *)h);
    table<<<64, 256>>>(c, n, a);
    flags<<<64, 256>>>(c, c, f);
    mostly_words<<<64, 256>>>(c, c, c, c, (char *)a);
    to_pairs<<<64, 256>>>((float2 *)c, (short2 *)a, (short *)b);
    to_halves<<<64, 256>>>(h, (short *)b);
    seldom<<<64, 256>>>(a, c);
    remainder_of_words<<<4, 256>>>(a, b, *n);
}
