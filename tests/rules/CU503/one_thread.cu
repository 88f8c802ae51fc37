// One thread that turns one matrix: nobody waits for it.
__global__ void turned(float *matrix, const float *angles)
{
    matrix[0] = angles[0] * angles[1];
    matrix[1] = angles[0] * angles[2];  // undecided: CU503 (tiny launch) "has 1 thread,"
    matrix[2] = angles[1] * angles[2];
    matrix[3] = angles[0] - angles[1];
    matrix[4] = angles[0] - angles[2];
    matrix[5] = angles[1] - angles[2];
}

// So it is of one warp with as little to do.
__global__ void turned_each(float *matrix, const float *angles)
{
    int i = threadIdx.x;
    matrix[i] = angles[0] * angles[1] + i;
    matrix[i + 32] = angles[0] * angles[2] + i;  // undecided: CU503 (the rule's own) "little to do"
    matrix[i + 64] = angles[1] * angles[2] + i;
    matrix[i + 96] = angles[0] - angles[1] + i;
    matrix[i + 128] = angles[0] - angles[2] + i;
    matrix[i + 160] = angles[1] - angles[2] + i;
}

void turn(float *matrix, const float *angles)
{
    turned<<<1, 1>>>(matrix, angles);
    turned_each<<<1, 32>>>(matrix, angles);
}
