// Lossless byte-plane + run-length packing of 16-bit sensor frames.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(x) check_((x), #x, __LINE__)
static void check_(cudaError_t e, const char* s, int line)
{
    if (e != cudaSuccess) { fprintf(stderr, "line %d: %s -> %s\n", line, s, cudaGetErrorString(e)); exit(1); }
}

enum { CHUNK = 1024, BINS = 256 };

__global__ void delta_encode(const uint16_t* __restrict__ in, uint16_t* __restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint16_t prev = (i % CHUNK) ? in[i - 1] : 0;
    uint16_t d = in[i] - prev;
    out[i] = (uint16_t)((d << 1) ^ (uint16_t)((int16_t)d >> 15));
}

__global__ void split_planes(const uint16_t* __restrict__ in, uint8_t* __restrict__ lo, uint8_t* __restrict__ hi, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint16_t v = in[i];
    lo[i] = v & 255;
    hi[i] = v >> 8;
}

__global__ void byte_histogram(const uint8_t* __restrict__ plane, unsigned* __restrict__ hist, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&hist[plane[i]], 1u);
}

__global__ void rle_chunks(const uint8_t* __restrict__ plane, uint8_t* __restrict__ out, int* __restrict__ sizes, int chunks)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= chunks) return;
    const uint8_t* src = plane + (size_t)c * CHUNK;
    uint8_t* dst = out + (size_t)c * CHUNK * 2;
    int w = 0;
    uint8_t cur = src[0];
    int run = 1;
    for (int i = 1; i < CHUNK; ++i) {
        uint8_t b = src[i];
        if (b == cur && run < 255) {
            ++run;
        } else {
            dst[w++] = (uint8_t)run;
            dst[w++] = cur;
            cur = b;
            run = 1;
        }
    }
    dst[w++] = (uint8_t)run;
    dst[w++] = cur;
    sizes[c] = w;
}

__global__ void scan_sizes(const int* __restrict__ sizes, int* __restrict__ offs, int n)
{
    __shared__ int part[1024];
    __shared__ int carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (int base = 0; base < n; base += 1024) {
        int i = base + threadIdx.x;
        int v = i < n ? sizes[i] : 0;
        part[threadIdx.x] = v;
        __syncthreads();
        for (int d = 1; d < 1024; d <<= 1) {
            int t = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
            __syncthreads();
            part[threadIdx.x] += t;
            __syncthreads();
        }
        if (i < n) offs[i] = carry + part[threadIdx.x] - v;
        __syncthreads();
        if (threadIdx.x == 1023) carry += part[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0) offs[n] = carry;
}

__global__ void compact(const uint8_t* __restrict__ in, const int* __restrict__ sizes, const int* __restrict__ offs, uint8_t* __restrict__ out)
{
    int c = blockIdx.x;
    int sz = sizes[c], o = offs[c];
    for (int i = threadIdx.x; i < sz; i += blockDim.x)
        out[o + i] = in[(size_t)c * CHUNK * 2 + i];
}

struct Options { int n; int noise; bool verbose; };

static Options parse(int argc, char** argv)
{
    Options o{4 << 20, 3, false};
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--samples=", 10) == 0) o.n = atoi(argv[i] + 10) / CHUNK * CHUNK;
        else if (strncmp(argv[i], "--noise=", 8) == 0) o.noise = atoi(argv[i] + 8);
        else if (strcmp(argv[i], "-v") == 0) o.verbose = true;
    }
    return o;
}

static bool verify(const std::vector<uint8_t>& plane, const std::vector<uint8_t>& packed)
{
    size_t pos = 0;
    for (size_t k = 0; k + 1 < packed.size(); k += 2)
        for (int r = 0; r < packed[k]; ++r, ++pos)
            if (pos >= plane.size() || plane[pos] != packed[k + 1]) return false;
    return pos == plane.size();
}

int main(int argc, char** argv)
{
    Options opt = parse(argc, argv);
    const int n = opt.n, chunks = n / CHUNK;
    std::vector<uint16_t> h(n);
    unsigned s = 99;
    int level = 20000;
    for (int i = 0; i < n; i++) {
        s = s * 1103515245u + 12345u;
        if ((s >> 20) % 50 == 0) level += int((s >> 16) % 9) - 4;
        h[i] = (uint16_t)(level + ((s >> 24) < 40 ? int((s >> 8) % (opt.noise + 1)) : 0));
    }
    uint16_t *d_in, *d_delta;
    uint8_t *d_plane[2], *d_rle, *d_out;
    unsigned* d_hist;
    int *d_sizes, *d_offs;
    CHECK(cudaMalloc(&d_in, n * 2));
    CHECK(cudaMalloc(&d_delta, n * 2));
    CHECK(cudaMalloc(&d_plane[0], n));
    CHECK(cudaMalloc(&d_plane[1], n));
    CHECK(cudaMalloc(&d_rle, 2 * (size_t)n));
    CHECK(cudaMalloc(&d_out, 2 * (size_t)n));
    CHECK(cudaMalloc(&d_hist, BINS * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_sizes, chunks * sizeof(int)));
    CHECK(cudaMalloc(&d_offs, (chunks + 1) * sizeof(int)));
    CHECK(cudaMemcpy(d_in, h.data(), n * 2, cudaMemcpyHostToDevice));

    delta_encode<<<(n + 511) / 512, 512>>>(d_in, d_delta, n);
    split_planes<<<(n + 511) / 512, 512>>>(d_delta, d_plane[0], d_plane[1], n);
    size_t total = 0;
    bool ok = true;
    for (int p = 0; p < 2; ++p) {
        CHECK(cudaMemset(d_hist, 0, BINS * sizeof(unsigned)));
        byte_histogram<<<528, 256>>>(d_plane[p], d_hist, n);
        rle_chunks<<<(chunks + 127) / 128, 128>>>(d_plane[p], d_rle, d_sizes, chunks);
        scan_sizes<<<1, 1024>>>(d_sizes, d_offs, chunks);
        compact<<<chunks, 128>>>(d_rle, d_sizes, d_offs, d_out);
        CHECK(cudaGetLastError());
        int packed = 0;
        unsigned hist[BINS];
        CHECK(cudaMemcpy(&packed, d_offs + chunks, sizeof packed, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(hist, d_hist, sizeof hist, cudaMemcpyDeviceToHost));
        std::vector<uint8_t> plane(n), out(packed);
        CHECK(cudaMemcpy(plane.data(), d_plane[p], n, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(out.data(), d_out, packed, cudaMemcpyDeviceToHost));
        ok = ok && verify(plane, out);
        total += packed;
        if (opt.verbose) printf("plane %d: %d bytes, zeros %u\n", p, packed, hist[0]);
    }
    printf("%d -> %zu bytes %s\n", n * 2, total, ok ? "OK" : "FAIL");
    for (void* q : {(void*)d_in, (void*)d_delta, (void*)d_plane[0], (void*)d_plane[1], (void*)d_rle, (void*)d_out, (void*)d_hist, (void*)d_sizes, (void*)d_offs}) cudaFree(q);
    return ok ? 0 : 1;
}
