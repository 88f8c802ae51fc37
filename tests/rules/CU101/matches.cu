// What each lane looks for is found in one turn of many: few lanes come at a time, and only data
// that are made for it bring whole warps. What a full warp would cost says nothing.
__global__ void joined(long long *table, const double *own, const double *keys, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = own[i];
    for (int k = 0; k < n; k++)
        if (mine == keys[k]) {  // undecided: CU501 (invented data decides)
            int m = 0;
            while (m < most && table[i * most + m] != -1 && table[i * most + m] != k)  // undecided: CU101 (invented data decides)
                m++;
            if (m < most)
                table[i * most + m] = k;
        }
}

// Of integers some data that are tried bring a few.
__global__ void of_integers(long long *table, const int *own, const int *keys, int n, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = own[i];
    for (int k = 0; k < n; k++)
        if (mine == keys[k]) {
            int m = 0;
            while (m < most && table[i * most + m] != -1 && table[i * most + m] != k)
                m++;
            if (m < most)
                table[i * most + m] = k;
        }
}

// One key that all turns and lanes ask for may be everybody's.
__global__ void of_one_kind(double *sums, const double *rows, const int *kinds, int kind, int most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (kinds[i] == kind) {
        double sum = 0;
        for (int m = 0; m < most; m++)
            sum += rows[i * most + m];  // expect: CU101
        sums[i] = sum;
    }
}

// Most lanes are no match.
__global__ void others(double *sums, const double *rows, const double *own, const double *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = own[i], sum = 0;
    for (int k = 0; k < n; k++)
        if (mine != keys[k])  // undecided: CU501 (invented data decides)
            sum += rows[i * n + k];  // expect: CU101
    sums[i] = sum;
}

// … and of a row's values only until one is found, whatever order the rest of the data are in.
__global__ void first_of_row(long long *table, const double *own, const double *keys, const long long *far, int rows, int n, int most)  // expect: CU002
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = own[i];
    for (int d = 0; d < most; d++)
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < n; k++)
                if (mine == keys[r * n + k]) {  // undecided: CU501 (invented data decides)
                    if (far[r * n + k] == d) {
                        int m = 0;
                        while (m < most && table[i * most + m] != -1 && table[i * most + m] != r)  // undecided: CU101 (invented data decides)
                            m++;
                        if (m < most)
                            table[i * most + m] = r;
                    }
                    break;
                }
}
