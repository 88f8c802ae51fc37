// Corners that three loaded indices pick of one array: how its elements lie is one fault.
__global__ void centres(const float *vertices, const uint4 *faces, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 f = faces[i];
    float x = vertices[3 * f.x], y = vertices[3 * f.x + 1], z = vertices[3 * f.x + 2];  // also: CU101
    x += vertices[3 * f.y]; y += vertices[3 * f.y + 1]; z += vertices[3 * f.y + 2];  // expect: CU101 "pad the elements to 16 bytes"
    x += vertices[3 * f.z]; y += vertices[3 * f.z + 1]; z += vertices[3 * f.z + 2];  // also: CU101
    out[i] = x * y * z;
}

// No vector is updated at once: the advice is another one.
__global__ void forces(float *force, const int *bonds, const float *__restrict__ strength, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int b = bonds[i];
    float s = strength[i];
    atomicAdd(&force[3 * b], s);  // expect: CU101 "a copy of `force` in shared memory"  // undecided: CU108 (invented data decides)
    atomicAdd(&force[3 * b + 1], 2 * s);  // also: CU101  // undecided: CU108 (invented data decides)
    atomicAdd(&force[3 * b + 2], 3 * s);  // also: CU101  // undecided: CU108 (invented data decides)
}

// A diagonal is where it is.
__global__ void diagonal(const float *a, float *out, int n)
{
    int k = threadIdx.x;
    if (k < n)
        out[blockIdx.x * n + k] = a[blockIdx.x * n * n + k * n + k];  // undecided: CU101 (the rule's own) "along a diagonal"
}

void launch(const float *vertices, const uint4 *faces, float *out, float *force, const int *bonds)
{
    centres<<<4096, 256>>>(vertices, faces, out, 1 << 20);
    forces<<<4096, 256>>>(force, bonds, vertices, 1 << 20);
    diagonal<<<1024, 256>>>(vertices, out, 250);
}
