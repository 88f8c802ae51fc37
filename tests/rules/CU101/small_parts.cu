// The load and the store of one element are one fault: alone each is under 5% of what the kernel moves.
__global__ void integrate(float *weight, const float *pose, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int x = 0; x < columns; x++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 600; k++)
            sum += pose[x * 600 + k];  // undecided: CU501 (cut short without a steady loop)
        if (x % 2 == 0)
            weight[row * columns + x] += sum;  // expect: CU101 "with the others of its kind"
    }
}

void launch(float *weight, const float *pose) { integrate<<<64, 256>>>(weight, pose, 500); }
