// What each thread does once, beside a loop of which nobody can say how long it takes.
#include <cstdlib>

__global__ void nearest(float *found, const float *points, const float *known, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = points[2 * i];  // undecided: CU102 (invented data decides) "each thread does it once"
    float y = points[2 * i + 1], best = 1e9f;
    for (int k = 0; k < m; k++) {
        float dx = x - known[k], dy = y - known[m + k];  // undecided: CU501 (invented data decides)
        best = fminf(best, dx * dx + dy * dy);
    }
    found[i] = best;
}

// The loop has eight turns, as the launch says.
__global__ void eight(float *found, const float *points, const float *known, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = points[2 * i];  // expect: CU102
    float y = points[2 * i + 1], best = 1e9f;
    for (int k = 0; k < m; k++) {
        float dx = x - known[k], dy = y - known[m + k];  // expect: CU501
        best = fminf(best, dx * dx + dy * dy);
    }
    found[i] = best;
}

int main(int argc, char **argv)
{
    int n = 1 << 20, m = atoi(argv[1]);
    float *points, *known, *found;
    cudaMalloc(&points, 2 * n * sizeof(float));
    cudaMalloc(&known, 2 * m * sizeof(float));
    cudaMalloc(&found, n * sizeof(float));
    nearest<<<(n + 255) / 256, 256>>>(found, points, known, n, m);
    eight<<<(n + 255) / 256, 256>>>(found, points, known, n, 8);
    cudaFree(found);
}
