// What only the host put into __constant__ memory goes into values, or decides where and how often.
#define LETTERS 24

struct Rows {
    int *at;
    int pitch;
};
__constant__ signed char score[LETTERS * LETTERS];
__constant__ char query[256];
__constant__ int turns;

// Scores are added up: no address rests on them, and neither do the lengths.
__global__ void align(Rows rows, int *best, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int most = 0;
    for (int j = 0; j < length; j++) {
        int sum = rows.at[i * rows.pitch + j] + score[query[j] & 63];  // expect: CU101 "32 sectors"
        if (sum > most)
            most = sum;
    }
    best[i] = most;
}

// How often the rows are walked, nobody knows.
__global__ void counted(Rows rows, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < turns; k++)
        sum += rows.at[i * rows.pitch + k];  // undecided: CU101 (unknown constants)
    best[i] = sum;
}

// Nor which row a letter picks.
__global__ void picked(Rows rows, int *best)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    best[i] = rows.at[i * rows.pitch + score[threadIdx.x & 63]];  // undecided: CU101 (unknown constants)  // expect: CU502
}

#define SCORE(letter) score[(letter) & 63]

// The rows are what is walked, not the table that the macro has.
__global__ void behind_a_macro(Rows rows, int *best, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *own = rows.at + i * rows.pitch;
    int sum = 0;
    for (int j = 0; j < length; j++)
        sum += SCORE(own[j]);  // expect: CU101 "load from `own`"  // expect: CU502
    best[i] = sum;
}

void launch(int *row, int *best)
{
    Rows rows = {row, 128};
    align<<<64, 256>>>(rows, best, 128);
    counted<<<64, 256>>>(rows, best);
    picked<<<64, 256>>>(rows, best);
    behind_a_macro<<<64, 256>>>(rows, best, 128);
}
