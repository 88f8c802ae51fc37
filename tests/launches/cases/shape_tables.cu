// Tables of shapes and sizes that another function fills, of one dimension and of two: a launch that
// is come to several times takes another element each time.
__global__ void mark(float *a, int n) { a[threadIdx.x] += n; }

dim3 grid[3][2], block[3][2];
dim3 shapes[3];
int sizes[3][2];

void set_up() {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            grid[i][j] = dim3(4 + i, 8 >> j, 1);
            block[i][j] = dim3(16 << i, 2 + j, 1);
        }
    sizes[1][0] = 96;
    shapes[1] = dim3(128);
}

void run(int axis, float *a) {
    for (int i = 0; i < 2; i++)
        mark<<<grid[axis][i], block[axis][i]>>>(a, axis);  // tried: mark<<<(4, 4), (16, 3)>>>(n=0) ; mark<<<(4, 8), (16, 2)>>>(n=0) ; mark<<<(5, 4), (32, 3)>>>(n=1) ; mark<<<(5, 8), (32, 2)>>>(n=1)
}

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    set_up();
    run(0, a);
    run(1, a);
    mark<<<1, sizes[1][0]>>>(a, 7);  // tried: mark<<<1, 96>>>(n=7)
    mark<<<2, shapes[1]>>>(a, 8);  // tried: mark<<<2, 128>>>(n=8)
    mark<<<3, sizes[2][1]>>>(a, 9);
    dim3 local[2][2];
    local[1][0] = dim3(32, 4);
    for (int j = 0; j < 2; j++)
        mark<<<4, local[1][0]>>>(a, j);  // tried: mark<<<4, (32, 4)>>>(n=0) ; mark<<<4, (32, 4)>>>(n=1)
}
