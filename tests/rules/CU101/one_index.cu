// One index goes along the wrong axis, in all arrays that it is used for: one change mends them all.
__global__ void differences(float *density, const float *first, const float *second, const float *third, int rows, int columns)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int row = t % 1024, column = t / 1024;
    int at = row * columns + column;
    if (column >= columns) return;
    density[at] = first[at]      // also: CU101
                  + second[at]   // expect: CU101 "`second`"
                  + third[at];   // also: CU101
}

// Different indices are different faults.
__global__ void two(float *out, const float *a, const float *b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k];  // expect: CU101 "`a`"
    for (int k = 0; k < m; k++)
        sum += b[i * m + k];  // expect: CU101 "`b`"
    out[i] = sum;
}

void launch(float *d, const float *a, const float *b, const float *c)
{
    differences<<<4096, 256>>>(d, a, b, c, 1024, 1024);
    two<<<64, 256>>>(d, a, b, 1000, 600);
}

// The same index from another beginning, and indices of which nothing more is known: faults of one array.
__global__ void samples(unsigned *out, const unsigned *keys, unsigned stride)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned i = t & (stride / 128 - 1);
    const unsigned *from = keys + (t - i) * 256;
    out[t] = from[i * 128] +           // expect: CU101 "`from`"
             from[stride + i * 128];   // also: CU101
}

__global__ void random_places(unsigned *hits, int n)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        at = at * 1664525u + 1013904223u;
        hits[at & 0xfffff] = hits[(at >> 3) & 0xfffff] + k;  // expect: CU101 "`hits`"  // also: CU101
    }
}

void launch_samples(unsigned *out, const unsigned *keys, unsigned *hits)
{
    samples<<<64, 256>>>(out, keys, 1024);
    random_places<<<64, 256>>>(hits, 100);
}

// Keys and values are swapped at one index, which takes every other element: one fault, whatever lanes a request has.
__global__ void compare(const unsigned *keys, const unsigned *values, unsigned *sorted, unsigned *carried, unsigned stride)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = 2 * t - (t & (stride - 1));
    unsigned key = keys[at], next = keys[at + stride];          // expect: CU101 "`keys`"
    unsigned value = values[at], other = values[at + stride];   // also: CU101
    bool turned = key > next;
    sorted[at] = turned ? next : key;            // also: CU101
    carried[at] = turned ? other : value;        // also: CU101
    sorted[at + stride] = turned ? key : next;   // also: CU101
    carried[at + stride] = turned ? value : other;  // also: CU101
}

void launch_compare(const unsigned *keys, const unsigned *values, unsigned *sorted, unsigned *carried)
{
    compare<<<4096, 256>>>(keys, values, sorted, carried, 1);
}

// A name for `float` makes no structure of it: each thread walks along a row, in all arrays alike, and one change mends them.
typedef float Real;

__global__ void errors(const Real *state, const Real *scale, Real *worst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Real most = 0;
    for (int k = 0; k < 91; k++) {
        Real off = state[i * 91 + k];               // also: CU101
        most = max(most, off * scale[i * 91 + k]);  // expect: CU101 "`scale`"
    }
    if (i < n) worst[i] = most;
}

// Arrays of structures are laid out each by itself.
struct Cell { float parts[91]; };

__global__ void cells(const Cell *state, const Cell *scale, float *worst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0;
    for (int k = 0; k < 91; k++) {
        float off = state[i].parts[k];        // expect: CU101 "`state`"
        most = max(most, off * scale[i].parts[k]);  // expect: CU101 "`scale`"
    }
    if (i < n) worst[i] = most;
}

void launch_rows(const Real *state, const Real *scale, const Cell *cell, const Cell *by, float *worst)
{
    errors<<<256, 256>>>(state, scale, worst, 1 << 16);
    cells<<<256, 256>>>(cell, by, worst, 1 << 16);
}
