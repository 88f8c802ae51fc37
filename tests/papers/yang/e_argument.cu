// CU601, figure 17 with an argument.
__global__ void scan_keys(int *keys, const unsigned char *reads, int at, int letters)
{
    extern __shared__ unsigned char space[];
    int t = threadIdx.x, first = blockIdx.x * 128 + t, key = 0;
    for (int k = 0; k < letters; k++)
        space[k * 128 + t] = reads[k * 32768 + first];
    for (int k = 0; k < letters; k++)
        key = key * 5 + (k != at ? space[k * 128 + t] : 1);
    for (int k = 0; k < letters; k++)
        key = key * 7 + (k + 1 != at ? space[k * 128 + t] : 2);
    keys[first] = key;
}

void launch(int *keys, const unsigned char *reads)
{
    scan_keys<<<256, 128, 32 * 128>>>(keys, reads, 7, 31);
}
