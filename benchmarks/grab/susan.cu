// SUSAN smoothing of a 512 x 512 image of bytes (Smith and Brady, "SUSAN: a new approach to low level
// image processing"): each pixel becomes the mean of the 37 pixels of its circle, those that differ
// from it weighing less. 128 threads a block, 2048 blocks; `modified` has a block for each row and
// keeps the seven rows that it reads in shared memory (Horga et al., Table 3 and section 5).
#define RADIUS 3
#define WIDTH 512

__constant__ int reach[7] = {1, 2, 3, 3, 3, 2, 1};  // half the circle's width at each of its rows

__device__ float weight(int brightness, int nucleus, float threshold)
{
    float d = (brightness - nucleus) / threshold;
    return expf(-d * d);
}

__global__ void susan_basic(unsigned char *out, const unsigned char *in, int height, float threshold)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % WIDTH, y = i / WIDTH;

    if (x < RADIUS || x >= WIDTH - RADIUS || y < RADIUS || y >= height - RADIUS)
        return;
    float area = 0.0f, total = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -reach[dy + RADIUS]; dx <= reach[dy + RADIUS]; dx++) {
            int brightness = in[(y + dy) * WIDTH + x + dx];
            float w = weight(brightness, in[y * WIDTH + x], threshold);
            area += w;
            total += w * brightness;
        }
    out[y * WIDTH + x] = (unsigned char)(total / area);
}

__global__ void susan_modified(unsigned char *out, const unsigned char *in, int height,
                               float threshold)
{
    __shared__ unsigned char rows[2 * RADIUS + 1][WIDTH];
    int x = threadIdx.x, y = blockIdx.x;

    if (y < RADIUS || y >= height - RADIUS)
        return;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        rows[dy + RADIUS][x] = in[(y + dy) * WIDTH + x];
    __syncthreads();
    if (x < RADIUS || x >= WIDTH - RADIUS)
        return;
    float area = 0.0f, total = 0.0f;
    int nucleus = rows[RADIUS][x];
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -reach[dy + RADIUS]; dx <= reach[dy + RADIUS]; dx++) {
            int brightness = rows[dy + RADIUS][x + dx];
            float w = weight(brightness, nucleus, threshold);
            area += w;
            total += w * brightness;
        }
    out[y * WIDTH + x] = (unsigned char)(total / area);
}
