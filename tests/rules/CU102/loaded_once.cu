// A store of one part stands before the load of the next: no compiler merges the loads.

__global__ void turn(float *v, float c, float s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[2 * i] = c * v[2 * i] + 1.0f;  // expect: CU102 "loads"; CU102 "stores"
        v[2 * i + 1] = s * v[2 * i + 1] - 1.0f;
    }
}

int main()
{
    float *v;
    cudaMalloc(&v, 1 << 20);
    turn<<<512, 256>>>(v, 0.5f, 0.25f, 1 << 17);
}
