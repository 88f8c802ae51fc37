// Every way of writing a grid and a block.
#include <cuda_runtime.h>
#define BX 32
#define BY (BX / 4)
#define DIV_UP(a, b) (((a) + (b)-1) / (b))

__global__ void k(float *a, int n) { a[threadIdx.x] = n; }

enum Shape { NARROW = 8, WIDE };
static const int ROWS = 1 << 10;
constexpr unsigned COLUMNS = 4 * ROWS;

int divide(int a, int b) { return (a % b != 0) ? (a / b + 1) : (a / b); }
template <class T>
T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}

void literals(float *a) {
    k<<<1, 1>>>(a, 3);  // launch: k grid=(1,1,1) block=(1,1,1) n=3
    k<<<dim3(4, 5), dim3(32, 8), 1024>>>(a, 3);  // launch: k grid=(4,5,1) block=(32,8,1) shared=1024
    k<<<dim3{2, 3, 4}, dim3{8}>>>(a, 0x10);  // launch: k grid=(2,3,4) block=(8,1,1) n=16
    k<<<{2, 2}, {16, 16}>>>(a, 1);  // launch: k grid=(2,2,1) block=(16,16,1)
    k<<<BX, BY>>>(a, sizeof(float4));  // launch: k grid=(32,1,1) block=(8,1,1) n=16
    k<<<WIDE, NARROW, 2 * sizeof(double)>>>(a, WIDE);  // launch: k grid=(9,1,1) block=(8,1,1) shared=16 n=9
}

void variables(float *a) {
    dim3 b(BX, BY);
    dim3 b2 = dim3(16, 16);
    dim3 b3{64};
    const dim3 b4 = {1, 2, 3};
    dim3 b5;
    b5.x = 128;
    b5.y = b.y / 4;
    auto b6 = dim3(4, 4);
    int rows = ROWS, columns = COLUMNS;
    dim3 g(rows, columns);                                        // reads as a function's declaration
    dim3 g2((columns + b.x - 1) / b.x, rows / b.y);
    dim3 g3 = g2;
    dim3 g4(divide(ROWS + 1, 256), ceil_div(columns, 512));
    dim3 g5 = dim3(DIV_UP(rows, 100));
    dim3 g6((unsigned int)ceil(((float)COLUMNS) / ((float)b.x)), 1);
    k<<<g, b>>>(a, rows);  // launch: k grid=(1024,4096,1) block=(32,8,1) n=1024
    k<<<g2, b2>>>(a, rows);  // launch: k grid=(128,128,1) block=(16,16,1)
    k<<<g3, b3>>>(a, rows);  // launch: k grid=(128,128,1) block=(64,1,1)
    k<<<g4, b4>>>(a, rows);  // launch: k grid=(5,8,1) block=(1,2,3)
    k<<<g5, b5>>>(a, rows);  // launch: k grid=(11,1,1) block=(128,2,1)
    k<<<g6, b6, b6.x * b6.y * sizeof(float)>>>(a, rows);  // launch: k grid=(128,1,1) block=(4,4,1) shared=64
    k<<<b.x > 16 ? 7 : 9, b.x + b.y>>>(a, rows);  // launch: k grid=(7,1,1) block=(40,1,1)
    k<<<rows / 10.0, min(rows, 512)>>>(a, (int)2.9f);  // launch: k grid=(102,1,1) block=(512,1,1) n=2
}

void reassigned(float *a) {
    dim3 b(32);
    k<<<1, b>>>(a, 0);  // launch: k grid=(1,1,1) block=(32,1,1)
    b = dim3(64, 2);
    k<<<1, b>>>(a, 0);  // launch: k grid=(1,1,1) block=(64,2,1)
    b.y = 4;
    k<<<1, b>>>(a, 0);  // launch: k grid=(1,1,1) block=(64,4,1)
}
