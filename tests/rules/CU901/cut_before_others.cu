// Runs that end in a loop of one thread, before loops of all: the launch says how often each turns.

// rows are swapped with that of the greatest element below, column by column
__global__ void pivots(float *a, int *order, int n)
{
    __shared__ int found;
    for (int k = 0; k < n; ++k) {
        if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
            float most = 0.0f;
            int at = k;
            for (int r = k; r < n; ++r)  // also: CU901
                if (fabsf(a[r * n + k]) > most) {  // also: CU901
                    most = fabsf(a[r * n + k]);
                    at = r;
                }
            found = order[k] = at;
        }
        __syncthreads();
        for (int c = threadIdx.x; c < n; c += blockDim.x) {
            float kept = a[k * n + c];
            a[k * n + c] = a[found * n + c];
            a[found * n + c] = kept;
        }
        __syncthreads();
    }
}

__global__ void members(float *centres, const int *labels, int n, int dims)
{
    __shared__ int size;
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
        int sum = 0;
        for (int i = 0; i < n; ++i)  // also: CU901
            if (labels[i] == blockIdx.x)  // also: CU901 // undecided: CU501 (cut short without a steady loop)
                ++sum;
        size = sum;
    }
    __syncthreads();
    for (int d = threadIdx.x; d < dims; d += blockDim.x)
        centres[blockIdx.x * dims + d] *= 1.0f / size;
}

// by insertion: data say how far each goes, but no farther than all
__global__ void sort_rows(float *rows, int n)
{
    __shared__ float s[512];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = rows[blockIdx.x * n + i];
    __syncthreads();
    if (threadIdx.x == 0)  // expect: CU901 "one thread of each block"
        for (int i = 1; i < n; ++i) {  // also: CU901
            float mine = s[i];  // also: CU901
            int j = i - 1;
            while (j >= 0 && s[j] > mine) {
                s[j + 1] = s[j];
                --j;
            }
            s[j + 1] = mine;
        }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        rows[blockIdx.x * n + i] = s[i];
}

// ok: the loops of all behind it take much longer
__global__ void then_longer(float *out, const float *in, int n)
{
    __shared__ float first;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i)
            if (in[i] > 0.0f)  // undecided: CU501 (cut short without a steady loop)
                sum += in[i];
        first = sum;
    }
    __syncthreads();
    float sum = first;
    for (int i = 0; i < 8 * n; ++i)
        sum = sum * 0.5f + in[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ok: data end the loop of all behind it, as late as they like
__global__ void then_data(float *out, const float *in, const int *lengths, int n)
{
    __shared__ float first;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i)
            if (in[i] > 0.0f)
                sum += in[i];
        first = sum;
    }
    __syncthreads();
    float sum = first;
    for (int k = 0; k < 64; ++k)
        for (int i = 0; i < lengths[i + threadIdx.x]; ++i)
            sum = sum * 0.5f + in[i * 256 + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// the tree behind it has as many steps as its width has bits
__global__ void then_halved(float *out, const float *in, int n, int width)
{
    __shared__ float first;
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block"
        float sum = 0.0f;
        for (int i = 0; i < n; ++i)  // also: CU901
            if (in[i] > 0.0f)  // also: CU901
                sum += in[i];
        first = sum;
    }
    __syncthreads();
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int h = width / 2; h > 0; h /= 2) {
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x] + first;
}

// ok: what ends the loop behind it is halved at times, and who knows how often
__global__ void then_collatz(float *out, const float *in, int n, unsigned seed)
{
    __shared__ float first;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i)
            if (in[i] > 0.0f)  // undecided: CU501 (cut short without a steady loop)
                sum += in[i];
        first = sum;
    }
    __syncthreads();
    float sum = first;
    for (unsigned x = seed; x != 1; x = x % 2 ? 3 * x + 1 : x / 2)
        sum = sum * 0.5f + in[x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ok: of the loops behind it, each ends by the other's counter
__global__ void then_entangled(float *out, const float *in, int n)
{
    __shared__ float first;
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int i = 0; i < n; ++i)
            if (in[i] > 0.0f)
                sum += in[i];
        first = sum;
    }
    __syncthreads();
    float sum = first;
    int i = 0, j;
    do {
        for (j = 0; j < i + 3; ++j)
            sum += in[j * 7 + i];  // undecided: CU501 (cut short without a steady loop)
        ++i;
    } while (i + j < n);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void launch(float *out, float *in, int *found, const int *labels)
{
    pivots<<<1, 256>>>(in, found, 500);
    members<<<16, 128>>>(out, labels, 250000, 64);
    sort_rows<<<512, 128>>>(in, 500);
    then_longer<<<256, 256>>>(out, in, 100000);
    then_data<<<256, 256>>>(out, in, labels, 100000);
    then_halved<<<256, 256>>>(out, in, 100000, 256);
    then_collatz<<<256, 256>>>(out, in, 100000, 27);
    then_entangled<<<256, 256>>>(out, in, 100000);
}
