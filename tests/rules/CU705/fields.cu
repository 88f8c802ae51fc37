// Divisors that are fields of a struct passed by value.
struct Shape {
    int rows, columns;
    unsigned long long slots;
};

__global__ void wrapped(float *out, const float *in, Shape s, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < turns; k++)
        sum += in[(i + k * 7) % s.columns];  // expect: CU705 "`s.columns`" CU109
    out[i] = sum;
}

__global__ void hashed(unsigned long long *out, Shape s, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long sum = i;
    for (int k = 0; k < turns; k++)
        sum += (sum * 0xff51afd7ed558ccdULL + k) % s.slots;  // expect: CU705 "multiplier and a shift for `s.slots`"
    out[i] = sum;
}

__global__ void product(unsigned *out, Shape s, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
    for (int k = 0; k < turns; k++)
        sum += (sum * 31 + k) / (unsigned)(s.rows * s.columns);  // expect: CU705 "`s.rows` and `s.columns`"
    out[i] = sum;
}

// One field divided by another is the divisor.
__global__ void grouped(unsigned *out, Shape s, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
    for (int k = 0; k < turns; k++)
        sum += (sum * 31 + k) / (unsigned)(s.columns / s.rows);  // expect: CU705 "`s.columns` and `s.rows`"
    out[i] = sum;
}

// A variable holds it: no place in the source to write a number at.
__global__ void kept(unsigned *out, Shape s, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i, wide = s.rows * s.columns;
    for (int k = 0; k < turns; k++)
        sum += (sum * 31 + k) % wide;
    out[i] = sum;
}

// Once a thread, and the kernel waits for memory.
__global__ void once(float *out, const float *in, Shape s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + i % s.columns;  // undecided: CU705 (the rule's own) "waits for memory"
}

void launch(float *out, const float *in, unsigned long long *wide, unsigned *narrow)
{
    Shape s{30, 70, 2000003};
    wrapped<<<64, 256>>>(out, in, s, 100);
    hashed<<<64, 256>>>(wide, s, 100);
    product<<<64, 256>>>(narrow, s, 100);
    grouped<<<64, 256>>>(narrow, s, 100);
    kept<<<64, 256>>>(narrow, s, 100);
    once<<<64, 256>>>(out, in, s);
}
