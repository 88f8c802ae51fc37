// The first threads of each row of a block load vectors: consecutive ones fill whole warps.
#define SIDE 16

__global__ void by_vectors(float *to, const float *from, int width)
{
    __shared__ __align__(16) float tile[SIDE][SIDE];
    const int first = 4 * threadIdx.x;
    const int y = blockIdx.y * SIDE;
    float sum = 0;
    for (int k = 0; k < width; k += SIDE) {
        if (first < SIDE) {  // expect: CU901
            float4 *kept = reinterpret_cast<float4 *>(&tile[threadIdx.y][first]);
            *kept = *reinterpret_cast<const float4 *>(&from[(y + threadIdx.y) * width + first]);
        }
        __syncthreads();
        sum += tile[threadIdx.x][threadIdx.y];  // expect: CU201
        __syncthreads();
    }
    to[(y + threadIdx.y) * width + blockIdx.x * SIDE + threadIdx.x] = sum;
}

__global__ void with_its_own(float *to, const float *from, int width)
{
    __shared__ __align__(16) float tile[SIDE][SIDE];
    const int first = 4 * threadIdx.x;
    const int y = blockIdx.y * SIDE;
    float sum = 0, mine = 0;
    for (int k = 0; k < width; k += SIDE) {
        if (first < SIDE) {  // expect: CU901
            float4 *kept = reinterpret_cast<float4 *>(&tile[threadIdx.y][first]);
            *kept = *reinterpret_cast<const float4 *>(&from[(y + threadIdx.y) * width + first]);
            mine = kept->x;
        }
        __syncthreads();
        sum += mine + tile[threadIdx.x][threadIdx.y];  // expect: CU201
        __syncthreads();
    }
    to[(y + threadIdx.y) * width + blockIdx.x * SIDE + threadIdx.x] = sum;
}

void launch(float *to, const float *from)
{
    by_vectors<<<dim3(64, 64), dim3(SIDE, SIDE)>>>(to, from, 1024);
    with_its_own<<<dim3(64, 64), dim3(SIDE, SIDE)>>>(to, from, 1024);
}
