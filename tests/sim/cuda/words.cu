// Numbers of eight words, one a thread: sums, differences and products with the carry of PTX.

constexpr int words = 8;

extern "C" __global__ void add_words(const unsigned *a, const unsigned *b, unsigned *out) {
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * words;
    const unsigned *x = a + at, *y = b + at;
    unsigned *z = out + at;
    unsigned r[words];
    asm volatile("add.cc.u32 %0, %8, %16;\n\t"
                 "addc.cc.u32 %1, %9, %17;\n\t"
                 "addc.cc.u32 %2, %10, %18;\n\t"
                 "addc.cc.u32 %3, %11, %19;\n\t"
                 "addc.cc.u32 %4, %12, %20;\n\t"
                 "addc.cc.u32 %5, %13, %21;\n\t"
                 "addc.cc.u32 %6, %14, %22;\n\t"
                 "addc.u32 %7, %15, %23;"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
                   "=r"(r[7])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
                   "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    for (int k = 0; k < words; k++) z[k] = r[k];
}

// The difference, and behind it whether nothing was borrowed: the carry that addc finds.
extern "C" __global__ void subtract_words(const unsigned *a, const unsigned *b, unsigned *out, unsigned *carry) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, at = thread * words;
    const unsigned *x = a + at, *y = b + at;
    unsigned *z = out + at;
    unsigned r[words], last;
    asm volatile("sub.cc.u32 %0, %9, %17;\n\t"
                 "subc.cc.u32 %1, %10, %18;\n\t"
                 "subc.cc.u32 %2, %11, %19;\n\t"
                 "subc.cc.u32 %3, %12, %20;\n\t"
                 "subc.cc.u32 %4, %13, %21;\n\t"
                 "subc.cc.u32 %5, %14, %22;\n\t"
                 "subc.cc.u32 %6, %15, %23;\n\t"
                 "subc.cc.u32 %7, %16, %24;\n\t"
                 "addc.u32 %8, 0, 0;"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
                   "=r"(r[7]), "=r"(last)
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
                   "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    for (int k = 0; k < words; k++) z[k] = r[k];
    carry[thread] = last;
}

// The lower half of the product, row by row.
extern "C" __global__ void multiply_words(const unsigned *a, const unsigned *b, unsigned *out) {
    int at = (blockIdx.x * blockDim.x + threadIdx.x) * words;
    unsigned r[words] = {};
    for (int i = 0; i < words; i++) {
        unsigned carry = 0, high = 0;
        for (int k = 0; i + k < words; k++) {
            unsigned x = a[at + i], y = b[at + k];
            asm volatile("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
                         "madc.hi.u32 %1, %3, %4, 0;\n\t"
                         "add.cc.u32 %0, %0, %2;\n\t"
                         "addc.u32 %2, %1, 0;"
                         : "+r"(r[i + k]), "+r"(high), "+r"(carry)
                         : "r"(x), "r"(y));
        }
    }
    for (int k = 0; k < words; k++) out[at + k] = r[k];
}
