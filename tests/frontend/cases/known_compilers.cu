// A header that insists on a host compiler and a system that it knows; types of the host's vectors,
// and an alignment before the name that is another keyword elsewhere.
// kernels: shared
#if defined(_MSC_VER)
#define ON_WINDOWS 1
#elif defined(__GNUC__)
#define WITH_GNU 1
#else
#error "an unknown compiler"
#endif
#if defined(_WIN32)
#define ALIGNED(n) __declspec(align(n))
#elif defined(__linux__)
#define ALIGNED(n)
#else
#error "an unknown system"
#endif
struct base { float x; };
struct ALIGNED(16) padded : base {
    inline padded(const base &other) : base(other) { prepare(); }
    inline void operator=(const base &other) { x = other.x; }
    unsigned pad;
};
union lanes { __m128 all; float each[4]; __uint32_t bits[4]; };
__global__ void shared(const lanes *in, float *out) { out[threadIdx.x] = in[0].each[WITH_GNU] + sizeof(padded); }
