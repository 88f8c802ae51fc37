#define CUDA __host__ __device__
#define INLINE __forceinline__
#define QUALIFIER CUDA INLINE
#define EXPR constexpr
template <class T> struct made { QUALIFIER EXPR static T of(T x) { return x; } };
struct Pair { int first; };
#define N made<int>::of(3)
