// Tables in constant memory that lanes read at different places.
__constant__ float weight[1024];
__constant__ float matrix[32][32];
__constant__ double factor[256];
__constant__ unsigned int box[256];

__global__ void by_thread(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight[threadIdx.x];  // expect: CU502 "`weight`" "32 different addresses" "L1"
}

__global__ void columns(float *out, const float *in)
{
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += matrix[threadIdx.x % 32][k] * in[blockIdx.x * 32 + k];  // expect: CU502 "`matrix`" "32 passes"
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void doubles(double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor[255 - threadIdx.x];  // expect: CU502 "`factor`"
}

__global__ void substitution(unsigned int *out, const unsigned int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int x = in[i];
    out[i] = box[x & 255] ^ box[x >> 8 & 255];  // expect: CU502 "`box`" "loaded data" "shared memory"
}

// what shared memory gets was divided by the table: no copy of it
__global__ void quantised(float *out, const float *in)
{
    __shared__ float block[64];
    int k = threadIdx.y * 8 + threadIdx.x;
    block[k] = in[blockIdx.x * 64 + k] / weight[k];  // expect: CU502 "`weight`" "32 different addresses"
    __syncthreads();
    out[blockIdx.x * 64 + k] = block[63 - k];
}

// rows of a 2-D block that is 8 threads wide
__global__ void narrow(float *out, const float *in)
{
    int i = threadIdx.y * 8 + threadIdx.x;
    out[i] = in[i] + weight[threadIdx.x];  // expect: CU502 "8 different addresses"
}

// a table that each turn copies anew: the passes are the loop's
__global__ void copied_each_turn(float *out, const float *__restrict__ in)
{
    __shared__ float part[256];
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) {
        part[threadIdx.x] = weight[k + threadIdx.x];  // expect: CU502 "32 passes"
        __syncthreads();
        sum += part[255 - threadIdx.x] * in[k * 256 + threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(float *f, const float *g, double *d, unsigned int *u, const unsigned int *v)
{
    by_thread<<<64, 256>>>(f, g);
    columns<<<64, 256>>>(f, g);
    doubles<<<64, 256>>>(d);
    substitution<<<64, 256>>>(u, v);
    copied_each_turn<<<64, 256>>>(f, g);
    narrow<<<1, dim3(8, 32)>>>(f, g);
    quantised<<<256, dim3(8, 8)>>>(f, g);
}
