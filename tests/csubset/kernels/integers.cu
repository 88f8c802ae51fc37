// Promotions, conversions and operators of integers.
__global__ void promotions(int *out, const unsigned char *bytes, const signed char *small,
                           const short *halves, const unsigned short *uhalves)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned char wrapped = bytes[i] + bytes[i + 1];
    signed char negative = small[i] - 100;
    short product = halves[i] * 257;
    unsigned short shifted = uhalves[i] << 5;
    char plain = (char)(halves[i] * 3);
    out[8 * i + 0] = wrapped;
    out[8 * i + 1] = negative;
    out[8 * i + 2] = product;
    out[8 * i + 3] = shifted;
    out[8 * i + 4] = plain;
    out[8 * i + 5] = bytes[i] - small[i];
    out[8 * i + 6] = ~bytes[i];
    out[8 * i + 7] = -uhalves[i];
}

__global__ void signs(int *out, const int *a, const unsigned *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = a[i] - n;
    unsigned y = b[i] + 3u;
    out[12 * i + 0] = x / 7;
    out[12 * i + 1] = x % 7;
    out[12 * i + 2] = x >> 2;
    out[12 * i + 3] = y >> 2;
    out[12 * i + 4] = (int)(x / y);
    out[12 * i + 5] = x < y;
    out[12 * i + 6] = x < (int)y;
    out[12 * i + 7] = -x;
    out[12 * i + 8] = x & 0xff | y ^ 0x55;
    out[12 * i + 9] = (x > 0) + (y > 10) * 2 + !x * 4;
    out[12 * i + 10] = x << 3;
    out[12 * i + 11] = (unsigned char)x + (short)(y * 40000u);
}

__global__ void wide(long long *out, const int *a, const long long *b, unsigned long n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    long long x = b[i] - 5;
    unsigned long long u = (unsigned long long)x;
    out[8 * i + 0] = a[i] * x;
    out[8 * i + 1] = x / 3 + x % 5;
    out[8 * i + 2] = (long long)(u >> 3);
    out[8 * i + 3] = x >> 3;
    out[8 * i + 4] = x << a[i] % 8;
    out[8 * i + 5] = (int)(x * 1000000007LL);
    out[8 * i + 6] = n - i;
    out[8 * i + 7] = a[i] - 4294967296;
}

__global__ void steps(int *out, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    int j = i;
    int k = j++ * 2 + n;
    k += ++j;
    k -= j--;
    k *= 3;
    k ^= j << 2;
    k |= 1;
    k &= ~8;
    k %= 1000;
    unsigned char c = k;
    c += 200;
    c >>= 1;
    short s = c;
    s -= 500;
    s /= 3;
    out[4 * i] = k;
    out[4 * i + 1] = c--;
    out[4 * i + 2] = c;
    out[4 * i + 3] = s;
    bool flag = n - 37;
    flag |= i & 4;
    out[4 * i] += flag ? 10 : 20;
}

enum Mode { FIRST, SECOND = 5, THIRD };
const int SCALE = 12;
#define SQUARE(x) ((x) * (x))
#define TWICE(expression) do { expression; expression; } while (0)
typedef unsigned int word;

__global__ void named(word *out, int n)
{
    const int width = 4;
    word i = blockIdx.x * blockDim.x + threadIdx.x;
    int local[width];
    for (int j = 0; j < width; j++) local[j] = SQUARE(j + (int)i) * SCALE;
    TWICE(local[i % width] += THIRD);
    Mode mode = i % 2 ? SECOND : FIRST;
    switch (local[1] % 5) {
    case 0:
        local[0] = 1;
    case 1:
        local[2] += 7;
        break;
    case FIRST + 3: {
        local[3] = mode;
        break;
    }
    default:
        local[1] = -1;
    }
    out[i] = local[0] + 3 * local[1] + 5 * local[2] + 7 * local[3] + sizeof(local) + sizeof(word);
}
