// Boxes that a loaded index picks: their parts lie side by side, and each is a request of its own.
__global__ void areas(const float *boxes, const int *order, float *area, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const float *box = boxes + 4 * order[i];
    area[i] = box[2] * box[3] + box[0];  // expect: CU101 "one access of 8 bytes"
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

void launch(const float *boxes, const int *order, float *area)
{
    areas<<<4096, 256>>>(boxes, order, area, 1 << 20);
    far_corners<<<4096, 256>>>(boxes, order, area, area + (1 << 20), 1 << 20);
}
