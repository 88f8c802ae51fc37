// Accesses in loops whose address the loop leaves alone.

__global__ void accumulates(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x]; // expect: CU106 "requests per warp where 1 would do"
}

__global__ void in_a_register(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = out[x];
    for (int y = 0; y < n; y++)
        sum += in[y * 4096 + x]; // ok
    out[x] = sum;
}

// The factor may lie in out, for all the compiler knows.
__global__ void reloads(float *out, const float *in, const float *factor, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[y * 4096 + x] = in[y * 4096 + x] * factor[0]; // expect: CU503
}

__global__ void told(float *__restrict__ out, const float *__restrict__ in,
                     const float *__restrict__ factor, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < n; y++)
        out[y * 4096 + x] = in[y * 4096 + x] * factor[0]; // ok
}

// Other threads read what is stored, behind the barrier.
__global__ void exchanges(float *values, int turns)
{
    int x = threadIdx.x;
    for (int turn = 0; turn < turns; turn++) {
        float other = values[(x + turn) % 256];
        __syncthreads();
        values[x] = other + 1.0f; // ok
        __syncthreads();
    }
}

// Somebody watches.
__global__ void reports(volatile int *progress, float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++) {
        sum += in[y * 4096 + x];
        progress[x] = y; // ok
    }
    out[x] = sum;
}

// Three turns.
__global__ void few(float *out, const float *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < 3; y++)
        out[x] += in[y * 4096 + x]; // ok
}

void launch(float *out, const float *in, const float *factor, float *values, int *progress)
{
    accumulates<<<16, 256>>>(out, in, 256);
    in_a_register<<<16, 256>>>(out, in, 256);
    reloads<<<16, 256>>>(out, in, factor, 256);
    told<<<16, 256>>>(out, in, factor, 256);
    exchanges<<<1, 256>>>(values, 64);
    reports<<<16, 256>>>(progress, out, in, 256);
    few<<<16, 256>>>(out, in);
}

// Data say how many turns there are; those left of four at a time are written out behind the loop.
__global__ void best(int *most, int *line, const int *lengths, const int *text, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int length = lengths[0];
    for (int row = 0; row < rows; row++) {
        int left = 0, corner = 0, gap = 0;
        for (int k = 0; k < length; k++) {
            int up = line[k * 4096 + x], same = text[k * 4096 + x] == row ? 2 : -1;
            gap = max(gap - 1, left - 3);
            left = max(0, max(corner + same, max(gap, max(up - 1, left - 3))));
            corner = up;
            line[k * 4096 + x] = left;
            if (left > most[x])  // expect: CU106 "load from `most`"
                most[x] = left;
        }
    }
}

// What is kept the best of is another element on each turn.
__global__ void best_of_each(int *most, int *line, const int *lengths, const int *text, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int length = lengths[0];
    for (int row = 0; row < rows; row++) {
        int left = 0, corner = 0, gap = 0;
        for (int k = 0; k < length; k++) {
            int up = line[k * 4096 + x], same = text[k * 4096 + x] == row ? 2 : -1;
            gap = max(gap - 1, left - 3);
            left = max(0, max(corner + same, max(gap, max(up - 1, left - 3))));
            corner = up;
            line[k * 4096 + x] = left;
            if (left > most[k * 4096 + x])  // undecided: CU303 (invented data decides)
                most[k * 4096 + x] = left;
        }
    }
}

void launch_best(int *most, int *line, const int *lengths, const int *text)
{
    best<<<64, 256>>>(most, line, lengths, text, 64);
    best_of_each<<<64, 256>>>(most, line, lengths, text, 64);
}
