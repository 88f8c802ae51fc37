// Corners that three loaded indices pick of one array: how its elements lie is one fault.
__global__ void centres(const float *vertices, const uint4 *faces, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 f = faces[i];
    float x = vertices[3 * f.x], y = vertices[3 * f.x + 1], z = vertices[3 * f.x + 2];  // also: CU101
    x += vertices[3 * f.y]; y += vertices[3 * f.y + 1]; z += vertices[3 * f.y + 2];  // expect: CU101 "copy them once to elements of 16 bytes, as their layout is the caller's"
    x += vertices[3 * f.z]; y += vertices[3 * f.z + 1]; z += vertices[3 * f.z + 2];  // also: CU101
    out[i] = x * y * z;
}

// No vector is updated at once: were the parts in arrays of their own, data would scatter these.
__global__ void forces(float *force, const int *bonds, const float *__restrict__ strength, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int b = bonds[i];
    float s = strength[i];
    atomicAdd(&force[3 * b], s);  // undecided: CU101 (loaded address) "no layout"; CU108 (invented data decides)
    atomicAdd(&force[3 * b + 1], 2 * s);  // undecided: CU101 (loaded address); CU108 (invented data decides)
    atomicAdd(&force[3 * b + 2], 3 * s);  // undecided: CU101 (loaded address); CU108 (invented data decides)
}

// A diagonal is where it is.
__global__ void diagonal(const float *a, float *out, int n)
{
    int k = threadIdx.x;
    if (k < n)
        out[blockIdx.x * n + k] = a[blockIdx.x * n * n + k * n + k];  // undecided: CU101 (the rule's own) "along a diagonal"
}

// So is the front of a dynamic programme, which goes the other way.
__global__ void front(const float *cost, float *best, int d, int rows, int n)
{
    int k = threadIdx.x;
    if (k < n && d - k >= 0 && d - k < rows)
        best[(d - k) * n + k] = 2.0f * cost[(d - k) * n + k];  // undecided: CU101 (the rule's own) "along a diagonal"; CU101 (the rule's own)
}

// … and one class' score for each of its elements.
__global__ void scores(const float *score, float *best, int d, int rows, int n, int classes)
{
    int k = threadIdx.x;
    if (k < n && d - k >= 0 && d - k < rows)
        best[k] = score[((d - k) * n + k) * classes + 5];  // undecided: CU101 (the rule's own) "along a diagonal"
}

// A column of rows that are one shorter is none.
__global__ void column(const float *a, float *out, int n)
{
    int k = threadIdx.x;
    if (k < n)
        out[blockIdx.x * n + k] = a[k * (n - 1) + blockIdx.x];  // expect: CU101
}

void launch(const float *vertices, const uint4 *faces, float *out, float *force, const int *bonds)
{
    centres<<<4096, 256>>>(vertices, faces, out, 1 << 20);
    forces<<<4096, 256>>>(force, bonds, vertices, 1 << 20);
    diagonal<<<1024, 256>>>(vertices, out, 250);
    for (int d = 0; d < 500; d++)
        front<<<1, 256>>>(vertices, out, d, 250, 251);
    for (int d = 0; d < 500; d++)
        scores<<<1, 256>>>(vertices, out, d, 250, 251, 30);
    column<<<200, 256>>>(vertices, out, 250);
}
