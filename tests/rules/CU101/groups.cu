// A loaded index of a loaded index picks the run that a thread walks along.

// Lanes of one batch walk its run together, where batches lie in order.
__global__ void within_batch(int n, const float *points, const int *batch, const int *offsets,
                             float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int b = batch[i];
    float own = out[i], most = 0.0f;
    for (int k = offsets[b]; k < offsets[b + 1]; k++)  // undecided: CU101 (loaded address)
        most = fmaxf(most, fabsf(points[k] - own));  // undecided: CU101 (loaded address) "neighbouring lanes may walk the same run: `batch` says which"
    out[i] = most;
}

// ok to tell: what waits in a queue is there once, and each has a run of its own
__global__ void neighbours(int n, const float *values, const int *queue, const int *offsets,
                           float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int node = queue[i];
    float most = 0.0f;
    for (int k = offsets[node]; k < offsets[node + 1]; k++)  // undecided: CU101 (loaded address)
        most = fmaxf(most, values[k]);  // expect: CU101 "each thread walks along its own run of `values`"
    out[i] = most;
}

// A row of a table for each of a few classes: lanes of one class read it together.
__global__ void by_class(int n, int length, const int *order, const int *classes, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < length; k++)
        sum += k * order[length * classes[i] + k];  // undecided: CU101 (loaded address) "`classes` says which"
    out[i] = sum;
}

// A row for each that waits.
__global__ void by_queue(int n, int length, const int *order, const int *queue, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < length; k++)
        sum += k * order[length * queue[i] + k];  // expect: CU101
    out[i] = sum;
}

// The lanes of one object are told apart by the row that each has: they read one run together.
__global__ void outer(int n, const float *values, const int *which, const int *row,
                      const int *offsets, const int *lengths, const int *places, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int object = which[i], k = row[i];
    const float *mine = &values[16 * offsets[object]];  // undecided: CU101 (loaded address)
    float *result = &out[places[object]];  // undecided: CU101 (loaded address)
    for (int l = 0; l < lengths[object]; l++)  // undecided: CU101 (loaded address)
        result[l * 64 + k] = mine[l];  // undecided: CU101 (loaded address) // undecided: CU101 (loaded address) "`which` says which"
}

// A slot's value lies behind its key, which an atomic claims: apart, each were a sector.
__global__ void insert(int n, const int *keys, const int *values, int *slots, int many)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int slot = ((unsigned)keys[i] * 2654435761u) >> 12;
    atomicCAS(&slots[2 * slot], 0, keys[i]);  // undecided: CU101 (loaded address); CU108 (invented data decides)
    slots[2 * slot + 1] = values[i];  // undecided: CU101 (loaded address) "no layout of the array packs it"
}

void launch(int n, const float *values, const int *index, const int *offsets, float *out,
            int *slots, int many)
{
    within_batch<<<(n + 255) / 256, 256>>>(n, values, index, offsets, out);
    neighbours<<<(n + 255) / 256, 256>>>(n, values, index, offsets, out);
    outer<<<(n + 255) / 256, 256>>>(n, values, index, index, offsets, index, offsets, out);
    by_class<<<(n + 255) / 256, 256>>>(n, 1000, index, offsets, slots);
    by_queue<<<(n + 255) / 256, 256>>>(n, 1000, index, offsets, slots);
    insert<<<(n + 255) / 256, 256>>>(n, index, offsets, slots, many);
}
