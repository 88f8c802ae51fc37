// Arrays, structs, pointers, shared and constant memory.
#define TILE 16
typedef float real;
struct Point { float x, y; int tag; };
typedef struct { double mass; struct Point at; unsigned char kind; } Body;
struct __align__(16) Packed { float a, b, c, d; };
__constant__ real coefficients[4] = {0.5f, 1.5f, -2.0f, 4.0f};
__device__ int counters[64];

__global__ void tiled(real *out, const real *in, int n)
{
    __shared__ real tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (int r = y; r < TILE; r += blockDim.x / TILE)
        tile[r][threadIdx.x % TILE] = in[(r * n + x) % 4096];
    __syncthreads();
    real sum = 0;
    for (int k = 0; k < TILE; k++) sum += tile[k][y] * tile[threadIdx.x % TILE][k];
    out[y * n + x] = sum * coefficients[y & 3];
}

__global__ void dynamic(int *out, const int *in)
{
    extern __shared__ int buffer[];
    int *upper = buffer + blockDim.x;
    buffer[threadIdx.x] = in[threadIdx.x];
    upper[threadIdx.x] = in[threadIdx.x + blockDim.x] * 2;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            buffer[threadIdx.x] += buffer[threadIdx.x + s];
            upper[threadIdx.x] += upper[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = buffer[0] - *upper;
}

__global__ void bodies(Body *b, struct Point *p, float4 *v, Packed *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Point mine = p[i];
    mine.x += 1.0f;
    mine.tag = i;
    p[i] = mine;
    b[i].mass = mine.x + 2 * mine.y;
    b[i].at = p[i + n];
    (&b[i])->kind = 300 + i;
    float4 w = v[i];
    w.x = w.y + w.z;
    w.w *= 3;
    v[i] = w;
    v[i + n] = make_float4(1.0f, w.x, i, n);
    Packed t = {1.0f, 2.0f};
    t.d = w.z;
    q[i] = t;
    float2 pair = make_float2(w.x, w.y);
    b[i].at.y += pair.y;
}

__global__ void pointers(float *out, float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = a + i, *end = a + i + 8;
    float sum = 0;
    while (p < end) sum += *p++;
    do {
        sum -= p[-1];
    } while (--p != a + i);
    float *which = i % 2 ? a : b;
    out[i] = sum + which[i] + (float)(end - p) + *(b + n) + 2[a];
    __shared__ float cache[4];
    float *either = i % 3 ? cache : b;
    if (threadIdx.x < 4) cache[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[i] += either[i % 4];
}

__global__ void local(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stack[2][8] = {{1, 2, 3}, {4}};
    int top = 0;
    for (int k = 0; k < 8; k++) {
        if (in[i + k] % 2 == 0) continue;
        stack[top % 2][top] += in[i + k];
        if (++top >= n % 8) break;
    }
    int sum = 0;
    for (int r = 0; r < 2; ++r)
        for (int k = 0; k < 8; ++k) sum = sum * 3 + stack[r][k];
    out[i] = sum;
}

__global__ void atomics(int *out, unsigned *mask, float *sum, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[i] % 8], 1);
    atomicSub(out + 8, 2);
    atomicMax(&out[9], in[i]);
    atomicMin(&out[10], in[i] - 5);
    atomicOr(mask, 1u << (i % 32));
    atomicAnd(mask + 1, ~(1u << (i % 7)));
    atomicAdd(&counters[i % 64], 1);
    atomicCAS(&out[11], 0, 77);
    atomicAdd(sum, 0.5f);
    __syncthreads();
    out[16 + i] = out[in[i] % 8 + 0] * 0 + __popc(i) + __clz(i);
}

__global__ void repeated(int *out, int *a, const int *b, int n)
{
    __shared__ int one[64], two[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int start = i * 4, j = start;
    out[i] = 0;
    for (int k = 0; k < n % 8; k++) {
        out[i] += a[start] + b[j];
        j++;
        int at = j;
        j = at % 2 ? at + 1 : at;
        a[at + 2000] = out[i];
        out[i] ^= b[at] + a[j];
    }
    one[threadIdx.x] = out[i];
    two[threadIdx.x] = one[threadIdx.x] + 1;
    __syncthreads();
    one[63 - threadIdx.x] += two[threadIdx.x];
    __syncthreads();
    if (i % 2) a[start + 1] = 5;
    out[i] += one[threadIdx.x] + a[start + 1];
}

__global__ void forwarded(int *out, int *a, unsigned char *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i;
    a[j] = 300;
    int first = a[j];
    j += 2;
    int second = a[j];
    c[i] = first;
    int third = c[i];
    for (int k = 0; k < 4; k++) {
        a[i] += k;
        if (k == n % 4) {
            out[i + 128] = a[i];
            a[i + 1000] = 1;
            continue;
        }
        int *p = a + i + k;
        out[i + 256] = *p;
        p += k;
        out[i + 256] += *p;
    }
    out[i] = first + second * 3 + third * 5 + a[i];
}

__global__ void choices(int *out, const unsigned *in, long long n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (n + 4294967296LL) {
    case 37:
        out[i] = 1;
        break;
    case 4294967333LL:
        out[i] = 2;
    }
    switch (in[i] - 3u) {
    case 4294967295u:
        out[i] += 10;
        break;
    case 0:
    default:
        out[i] += 20;
    }
}
