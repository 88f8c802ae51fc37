// Boxes that a loaded index picks: their parts lie side by side, and each is a request of its own.
__global__ void areas(const float *boxes, const int *order, float *area, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *box = boxes + 4 * order[i];
    area[i] = box[2] * box[3] + box[0];  // expect: CU101 "the 16 bytes that hold them"
}

// One by one, they are one fault all the same.
__global__ void far_corners(const float *boxes, const int *order, float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *box = boxes + 4 * order[i];
    x[i] = box[0] + 1.0f;  // expect: CU101 "one access of 16 bytes"
    y[i] = box[2] + 1.0f;  // also: CU101
}

// What is read of an element is no vector; the whole of it is.
struct Entry { float x, y, z; int count; };

__global__ void places(const Entry *entries, const int *order, float *place, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Entry &entry = entries[order[i]];
    place[i] = 0.5f * entry.x + entry.y * entry.z;  // expect: CU101 "the 16 bytes that hold them"
}

// Parts of different sizes are of one element all the same.
struct Weight { int count; double each; };

__global__ void sums(const Weight *weights, const int *order, double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Weight &weight = weights[order[i]];
    sum[i] = weight.each * weight.count;  // expect: CU101
}

void pick(const Entry *entries, const int *order, float *place)
{
    places<<<4096, 256>>>(entries, order, place, 1 << 20);
    sums<<<4096, 256>>>((const Weight *)entries, order, (double *)place, 1 << 20);
}

void launch(const float *boxes, const int *order, float *area)
{
    areas<<<4096, 256>>>(boxes, order, area, 1 << 20);
    far_corners<<<4096, 256>>>(boxes, order, area, area + (1 << 20), 1 << 20);
}
