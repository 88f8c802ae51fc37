// Loops in which all lanes of a warp do the same, and loops that only look like them.
__global__ void whole_row(const float *in, float *out, int columns)
{
    int row = blockIdx.x;
    float most = -1e30f, sum = 0.0f;
    for (int j = 0; j < columns; j++)  // also: CU906
        most = fmaxf(most, in[row * columns + j]);
    for (int j = 0; j < columns; j++) {  // expect: CU906 "of what the kernel's warps issue" "in steps of blockDim.x"
        out[row * columns + j] = in[row * columns + j] - most;
        sum += out[row * columns + j];
    }
    for (int j = 0; j < columns; j++)  // also: CU906
        out[row * columns + j] *= sum;
}

// A row of threads has a row of the data, and each thread all of it.
__global__ void row_of_a_warp(const float *in, float *out, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int j = 0; j < columns; j++)  // expect: CU906 "if they shared its iterations" "in steps of 32"
        sum += in[row * columns + j];
    for (int j = threadIdx.x; j < columns; j += 32)
        out[row * columns + j] = in[row * columns + j] - sum;
}

// Every thread adds up what the block has left in shared memory.
__global__ void sum_by_all(const float *in, float *out)
{
    __shared__ float part[256];
    part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int j = 0; j < 256; j++)  // expect: CU906 "a tree in shared memory"
        sum += part[j];
    out[blockIdx.x * 256 + threadIdx.x] = part[threadIdx.x] / sum;
}

// ok: the element is the same for all lanes, and what is computed of it is each thread's own
__global__ void pairs(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = x[i], sum = 0.0f;  // expect: CU109
    for (int j = 0; j < n; j++)
        sum += rsqrtf((x[j] - own) * (x[j] - own) + 1.0f);
    out[i] = sum;
}

// ok: each thread has an array of its own
__global__ void own_copy(const float *table, const int *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[80];  // also: CU107
#pragma unroll 1
    for (int j = 0; j < 80; j++)
        own[j] = table[j];  // expect: CU107; CU501
    out[i] = own[at[i] & 63];
}

// ok: there are fewer iterations than lanes
__global__ void few(const float *in, float *out)
{
    float most = 0.0f;
#pragma unroll 1
    for (int j = 0; j < 16; j++)  // refuted: CU906 (nothing wasted)
        most = fmaxf(most, in[blockIdx.x * 16 + j]);
    out[blockIdx.x * 256 + threadIdx.x] = most;
}

// ok: it is little of what the kernel does
__global__ void little(const float *in, float *out, int n, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f, x = in[i];  // expect: CU109
    for (int j = 0; j < n; j++)  // undecided: CU906 (a small share)
        sum += in[j];
    for (int j = 0; j < turns; j++)
        x = x * sum + 1.0f;
    out[i] = x;
}

// ok: half the lanes of a warp have one row, and half another
__global__ void two_rows(const float *in, float *out, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int j = 0; j < columns; j++)  // refuted: CU906 (nothing to report) "of several rows"
        sum += in[row * columns + j];
    out[row * 16 + threadIdx.x] = sum;
}

// ok: a search, which nobody can share out
__global__ void search(const int *starts, int *out, int n)
{
    int low = 0, high = n;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (starts[middle] <= (int)blockIdx.x)
            low = middle;
        else
            high = middle;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = low;
}

// How long a row is, only data know.
__global__ void rows_of_data(const int *starts, const float *value, float *out)
{
    float sum = 0.0f;
    for (int j = starts[blockIdx.x]; j < starts[blockIdx.x + 1]; j++)  // undecided: CU906 (invented data decides) "depends on data"
        sum += value[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ok: one thread works, which CU901 tells
__global__ void one_thread(const float *in, float *out, int n)
{
    if (threadIdx.x == 0) {  // expect: CU901 "does this alone"
        float sum = 0.0f;
        for (int j = 0; j < n; j++)  // also: CU901
            sum += in[blockIdx.x * n + j];  // also: CU901
        out[blockIdx.x] = sum;
    }
}

void launch(const float *in, float *out, const int *at)
{
    whole_row<<<4096, 256>>>(in, out, 1000);
    row_of_a_warp<<<512, dim3(32, 8)>>>(in, out, 1000);
    sum_by_all<<<4096, 256>>>(in, out);
    pairs<<<512, 256>>>(in, out, 1 << 17);
    own_copy<<<512, 256>>>(in, at, out);
    few<<<512, 256>>>(in, out);
    little<<<512, 256>>>(in, out, 100, 5000);
    two_rows<<<512, dim3(16, 16)>>>(in, out, 1000);
    search<<<4096, 256>>>(at, (int *)at, 1000);
    rows_of_data<<<4096, 256>>>(at, in, out);
    one_thread<<<4096, 256>>>(in, out, 1000);
}
