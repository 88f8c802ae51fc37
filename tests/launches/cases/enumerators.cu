// Enumerators as template arguments: as numbers for numbers, else as their type's values.
enum Mode { PLAIN, TWICE = 2, THRICE };
template <int M> __global__ void number(float *a) { a[threadIdx.x * M] += 1.0f; }
template <Mode M> __global__ void mode(float *a) { a[threadIdx.x * M] += 1.0f; }

namespace ns {
enum class Op : int { Sum, Max = 5 };
template <typename T, Op op, int by = 1> __global__ void reduce(T *a) {
    a[threadIdx.x * (int)op + by] += 1;
}
template <Op op> void go(float *a) {
    reduce<float, op><<<1, 128>>>(a);  // tried: reduce<float, (ns::Op)0><<<1, 128>>>() ; reduce<float, (ns::Op)5><<<1, 128>>>()
}
void run(float *a, Op op) {
    switch (op) {
    case Op::Sum: go<Op::Sum>(a); break;
    case Op::Max: go<Op::Max>(a); break;
    }
}
}

typedef enum { LEFT, RIGHT } Side;
template <Side s> __global__ void side(float *a) { a[threadIdx.x * (s + 1)] = 1; }

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    number<THRICE><<<4, 64>>>(a);  // tried: number<3><<<4, 64>>>()
    mode<TWICE><<<4, 64>>>(a);  // tried: mode<(Mode)2><<<4, 64>>>()
    const Mode known = THRICE;
    mode<known><<<4, 32>>>(a);  // tried: mode<(Mode)3><<<4, 32>>>()
    side<RIGHT><<<1, 64>>>(a);  // tried: side<(Side)1><<<1, 64>>>()
}

enum Small : unsigned char { FEW, MANY };
enum class Plain { NONE, SOME };
__global__ void bytes(char *p, int side, int small, int plain) { p[threadIdx.x] = side + small + plain; }
void sizes(char *p) {
    constexpr int side = sizeof(Side) == 4 ? 4 : 8;
    bytes<<<1, 32>>>(p, side, 8 * sizeof(Small), sizeof(Plain));  // tried: bytes<<<1, 32>>>(side=4, small=8, plain=4)
}
