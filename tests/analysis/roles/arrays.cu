// What the integers in arrays are for: `roles` lists them by parameter.

// roles: row=offsets(col/4,val/4) col=index(x/4)
__global__ void sparse_rows(float *y, const float *val, const int *col, const int *row,
                            const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = row[i]; j < row[i + 1]; j++)
        sum += val[j] * x[col[j]];
    y[i] = sum;
}

// roles: row=offsets(val/4)
__global__ void warp_for_a_row(float *y, const float *val, const int *row)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;
    for (int j = row[i] + threadIdx.x % 32; j < row[i + 1]; j += 32)
        sum += val[j];
    y[i * 32 + threadIdx.x % 32] = sum;
}

// roles: cell=index(table/4*width)
__global__ void gathers_rows(float *out, const float *table, const int *cell, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < width; k++)
        out[k * 1024 + i] = table[cell[i] * width + k];
}

// roles: mask=flag done=flag
__global__ void picks(float *out, const int *mask, const bool *done)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (mask[i] != 0 && !done[i])
        out[i] = 1;
}

// A count of turns that is loaded once is no offset, and a value that is also stored is no flag.
// roles:
__global__ void neither(float *out, const int *count, const int *mark, int *seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < count[i]; k++)
        sum += out[k];
    if (mark[i])
        seen[i] = mark[i];
    out[i] = sum;
}

// Values compared with others, or of which some bit is asked for, are no flags.
// roles:
__global__ void tests_other_things(float *out, const int *level, const int *bits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[i] == 3 || (bits[i] & 4))
        out[i] = 1;
}

struct Graph {
    const int *row;
    const int *col;
    const float *weight;
};
// roles: g+0=offsets(g+8/4,g+16/4) g+8=index(level/4)
__global__ void in_a_struct(float *level, Graph g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = g.row[i]; j < g.row[i + 1]; j++)
        level[g.col[j]] = g.weight[j];
}

struct Vertex { int first, count; };

// Two fields of a structure are no neighbours: rows that are told by start and length do not ascend.
// roles: vertices=index(edges/4)
__global__ void rows_by_start_and_length(int *out, const Vertex *vertices, const int *edges)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int j = vertices[i].first; j < vertices[i].first + vertices[i].count; j++)
        sum += edges[j];
    out[i] = sum;
}

// Parts of an index that are powers of two apart are put together bit by bit.
// roles: bin=index(sums/8) group=index(sums/8192)
__global__ void packed_by_bytes(float2 *sums, const unsigned char *bin, const unsigned char *group)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int f = 0; f < 4; f++)
        atomicAdd(&sums[(group[i] * 4 + f) * 256 + bin[i]].x, 1.0f);
}

// Nothing ends a probe but a key or an empty slot.
// roles: keys=walked
__global__ void probes(int *out, const unsigned *keys, unsigned slots)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, p = i * 0x9E3779B1u % slots;
    while (keys[p] != 0xffffffffu && keys[p] != i)
        p = (p + 1) % slots;
    out[i] = p;
}

// A list ends where there is no next one.
// roles: next=walked
__global__ void along_a_list(float *out, const int *head, const int *next, const float *weight)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = head[i]; j >= 0; j = next[j])
        sum += weight[j];
    out[i] = sum;
}

// This loop ends by itself: what leaves it early is no mark.
// roles:
__global__ void first_negative(int *out, const int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    for (; k < n; k++)
        if (values[i * n + k] == 7)
            break;
    out[i] = k;
}

// Whoever waits for a mark to go away would wait for ever.
// roles: open=flag
__global__ void waits(int *out, const volatile int *open)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (open[i] == 0)
        ;
    out[i] = 1;
}
