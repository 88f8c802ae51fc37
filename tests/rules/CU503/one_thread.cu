// One thread that turns one matrix: nobody waits for it.
__global__ void turned(float *matrix, const float *angles)
{
    matrix[0] = angles[0] * angles[1];
    matrix[1] = angles[0] * angles[2];  // undecided: CU503 (the rule's own) "little to do"
    matrix[2] = angles[1] * angles[2];
    matrix[3] = angles[0] - angles[1];
    matrix[4] = angles[0] - angles[2];
    matrix[5] = angles[1] - angles[2];
}

void turn(float *matrix, const float *angles) { turned<<<1, 1>>>(matrix, angles); }
