// What few threads set up once, for kernels that are launched again and again, is not worth more
// threads: no more than its wasted sectors are worth packing.

// Launched once, by its name for others.
__global__ void init_table(float *table, int n)
{
    int i = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += 0.5f * table[k * 64 + i]; // also: CU404
        table[k * 64 + i] = sum;
    }
}

// The same loop in each step.
__global__ void advance(float *table, int n)
{
    int i = threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += 0.25f * table[k * 64 + i]; // also: CU404
        table[k * 64 + i] = sum;
    }
}

int main()
{
    float *table;
    cudaMalloc(&table, 4096 * 64 * sizeof(float));
    init_table<<<1, 64>>>(table, 4096); // undecided: CU404 (hardly launched) "prepares or checks"
    for (int step = 0; step < 1000; step++)
        advance<<<1, 64>>>(table, 4096); // expect: CU404
}
