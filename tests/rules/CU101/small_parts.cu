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

// Each of thirteen loads is 0.6% of it: together they are one fault that is 8%.
__global__ void rates(float *out, const float *model, const float *pose, int columns, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = model[row * columns];  // also: CU101
    sum += model[row * columns + 40];  // expect: CU101 "with the others of its kind"
    sum += model[row * columns + 80];  // also: CU101
    sum += model[row * columns + 120];  // also: CU101
    sum += model[row * columns + 160];  // also: CU101
    sum += model[row * columns + 200];  // also: CU101
    sum += model[row * columns + 240];  // also: CU101
    sum += model[row * columns + 280];  // also: CU101
    sum += model[row * columns + 320];  // also: CU101
    sum += model[row * columns + 360];  // also: CU101
    sum += model[row * columns + 400];  // also: CU101
    sum += model[row * columns + 440];  // also: CU101
    sum += model[row * columns + 480];  // also: CU101
    for (int k = 0; k < n; k++)
        sum += pose[k];  // expect: CU501
    out[row] = sum;
}

void launch(float *weight, const float *pose)
{
    integrate<<<64, 256>>>(weight, pose, 500);
    rates<<<512, 32>>>(weight + (1 << 24), weight, pose, 700, 4000);
}
