// Neighbouring floats are moved as vectors: the index is of floats, and keeps vectors whole.
__global__ void strided(const float *a, float *b, int n)
{
    __shared__ float s[8192];
    int t = threadIdx.x;
    for (int i = t; i < 8192; i += 256)
        s[i] = a[blockIdx.x * 8192 + i];
    __syncthreads();
    float sum = 0.0f;
    for (int d = 1; d <= 8; d *= 2) {
        float4 v = *(float4 *)&s[t * 4 * d & 8191];  // expect: CU201 "`i + ((i >> 5) << 2)`" "frees all its conflicts; the array grows by 4 elements for every 32"
        sum += v.x + v.y + v.z + v.w;
    }
    b[blockIdx.x * 256 + t] = sum;
}
int main() { float *a, *b; cudaMalloc(&a, 8192 * 1024 * 4); cudaMalloc(&b, 1 << 20); strided<<<1024, 256>>>(a, b, 3); }
