// Where an address or a guard hangs on data that a host filled, the fill must not decide.
__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];  // undecided: CU101 (loaded address) "load from `in`" "loaded data"
}

__global__ void gather_rows(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i] * 64];  // expect: CU101 "load from `in`" "identity data both scatter"
}

__global__ void guarded(float *out, const float *in, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flags[i] > 3)
        out[i * n] = in[i];  // undecided: CU101 (a stride that may be 1) "fine if n is 1"
}

__global__ void trip_count(float *out, const float *in, const int *ends)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < ends[i]; j++)
        sum += in[i * 128 + j];  // expect: CU101 "whenever it is reached"
    out[i] = sum;
}

// The pattern of a guarded access is that of all its lanes: data merely leaves some out.
__global__ void holes(float *out, const float *in, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i] > 3)
        out[i] = in[i];  // ok
}

__global__ void guarded_rows(float *out, const float *in, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i] > 3)
        out[i * 16] = in[i];  // expect: CU101 "store to `out`" "whenever it is reached"
}

__global__ void never_seen(float *out, const float *in, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && __sinf(in[i]) > 1.5f)
        out[i * 16] = in[i];  // undecided: CU101 (invented data decides) "which lanes of a warp"
}

// One element for all: no lane goes another way than its neighbours.
__global__ void switched_off(float *out, const float *in, const float *mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && __sinf(mode[0]) > 1.5f)
        out[i * 16] = in[i];  // expect: CU101 "not reached by the simulation; proved"
}

// A table that stays in L1, however it is indexed: nothing to report.
__device__ float table[1024];

__global__ void looked_up(float *out, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i] * 8 & 1023];
}

// Particles in the order of the grid that they lie on read neighbours' cells; no fill is like them.
__global__ void advected(float2 *place, const float2 *speed, int width, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 at = place[i];
    float2 v = speed[(int)(at.y * width) * width + (int)(at.x * width)];  // undecided: CU101 (loaded address) "near each other"
    place[i] = make_float2(at.x + dt * v.x, at.y + dt * v.y);
}

// One float for all lanes only says where they begin.
__global__ void window(float *out, const float *in, const float *corner)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64 + (int)corner[blockIdx.x]];  // expect: CU101 "load from `in`" "both scatter it"
}

// With a[i] = i the list is empty: no run tells whether it would be fine.
__global__ void listed(float *out, const int *first, const int *count, const int *index, int which)
{
    int k = which & 63, start = first[k], end = start + (count[k] ^ k);
    for (int j = start + blockIdx.x * blockDim.x + threadIdx.x; j < end; j += 16384)
        out[index[j] * 8] = 1.0f;  // undecided: CU101 (friendlier values not reached) "no run with a[i] = i came to it"
}

// Nothing fixes the ends of a range: equal sizes would leave it empty.
__global__ void ranges(float *out, const float *in, int lo, int hi)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = lo; j < hi; j++)
        sum += in[i * 64 + j];  // expect: CU101 "32 sectors"
    out[i] = sum;
}

struct Slot {
    unsigned key;
    int value;
};

// The slots are two words, of which one request brings one: they are as scattered by themselves.
__global__ void looked_up(int *out, const Slot *slots, const unsigned *keys, int n, unsigned size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = (key * 2654435761u ^ key >> 15) % size;  // undecided: CU705 (invented data decides)
    while (slots[at].key != key && slots[at].key)  // undecided: CU101 (loaded address) "no layout"
        at = at + 1 == size ? 0 : at + 1;
    out[i] = slots[at].value;  // undecided: CU101 (loaded address) "no layout"
}

// A slot of a hash table: no order of its elements suits lanes that have keys of their own.
__global__ void probed(int *slots, const unsigned *keys, const int *values, int n, unsigned size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        slots[(key * 2654435761u ^ key >> 7) % size] = values[i];  // undecided: CU101 (loaded address) "no layout"; CU705 (the rule's own)
    }
}

// One element of each lane's row: were the rows columns, the labels would scatter it all the same.
__global__ void labelled(float *loss, const float *score, const int *label, int n, int classes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        loss[i] = -score[i * classes + label[i]];  // undecided: CU101 (loaded address) "no layout"
}

// A row that all lanes choose together: columns would pack it.
__global__ void chosen_column(float *loss, const float *score, const int *column, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        loss[i] = -score[i * 64 + column[0]];  // expect: CU101 "load from `score`"
}

// Compacted by the sums of flags, neighbours write neighbouring structures: that is what is told.
__global__ void compacted(int *out, const int *keep, const int *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keep[i])
        out[2 * place[i]] = i;  // expect: CU101 "8 sectors per request where 4" "the figures are of identity data"
}
