// Functions whose body is one macro's call, without a `;` behind it.
// kernels: plain_store several typed<double>

#define STORE(value) a[threadIdx.x] = value;
#define WHOLE(T, value) { T x = value; a[threadIdx.x] = x; }
#define FOUR(value) STORE(value) STORE(2 * value) STORE(3 * value) STORE(4 * value)

__global__ void plain_store(float *a) { STORE(1) }

__global__ void several(float *a)
{
    FOUR(1)
}

template <typename T> __global__ void typed(T *a)
{
    WHOLE(T, 2)
}

#define ANSWER(n) return n;
static int threads() { ANSWER(64) }

void run(float *a, double *b)
{
    plain_store<<<1, threads()>>>(a);
    several<<<1, 64>>>(a);
    typed<<<1, 64>>>(b);
}
