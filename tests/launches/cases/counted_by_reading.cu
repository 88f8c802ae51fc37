// A loop that goes on for as long as something is read: how far it counts, its file knows.
#include <cstdio>
#include <cstdlib>
__global__ void scale(float *a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] *= n; }

int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    int numbers = 0;
    float x, *a, *all = (float *)malloc(1 << 20);
    while (fscanf(file, "%f", &x) == 1) { all[numbers++] = x; }
    cudaMalloc(&a, numbers * sizeof(float));
    scale<<<(numbers + 255) / 256, 256>>>(a, numbers);  // tried: scale<<<5, 256>>>(n=1280) | scale<<<1, 256>>>(n=96)
    int lines = 0;
    while (fgetc(file) != EOF) { lines++; }
    scale<<<lines / 64, 64>>>(a, 3);  // tried: scale<<<20, 64>>>(n=3) | scale<<<1, 64>>>(n=3)
    int turns = 0;
    while (turns * turns < 100) { turns++; }
    scale<<<turns, 64>>>(a, 4);  // tried: scale<<<10, 64>>>(n=4)
}
