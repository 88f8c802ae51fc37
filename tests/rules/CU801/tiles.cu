// --arch sm_13 --arch sm_80
// Tiles that were made for 16 banks, which serve half a warp at a time, and for 32.
__global__ void seventeen(float *out, const float *in)
{
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];  // expect: CU801 "fine on sm_13" "32 banks"; CU201 "no padding" "`column ^ row`" "32×8 threads with rows of 33"
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // also: CU801; CU201
}

// every other word: two lanes of 16 meet nowhere, two of 32 do
__global__ void every_other_half(float *out, const float *in)
{
    __shared__ float pair[64];
    int lane = threadIdx.x % 16, half = threadIdx.x / 16;
    pair[half * 32 + lane] = in[threadIdx.x];  // expect: CU801 "fine on sm_13"; CU201
    __syncwarp();
    out[threadIdx.x] = pair[0] + pair[47];
}

// doubles: the old GPU serves them in two requests that conflict
__global__ void doubles(double *out, const double *in)
{
    __shared__ double row[64];
    row[threadIdx.x] = in[threadIdx.x];  // expect: CU801 "fine on sm_80" "on sm_13"; CU201
    __syncthreads();
    out[threadIdx.x] = row[0] + row[63];
}

void launch(float *f, const float *g, double *d, const double *e)
{
    seventeen<<<1, dim3(16, 16)>>>(f, g);
    every_other_half<<<1, 32>>>(f, g);
    doubles<<<1, 64>>>(d, e);
}
