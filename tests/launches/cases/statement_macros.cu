// Grids and blocks that a macro declares, which is used as a statement.
#define SPREAD(length) \
    unsigned blocks = (length) > Limits::most ? parts(length, Limits::most) : 1; \
    unsigned threads = (length) > Limits::most ? parts(length, blocks) : (length);
#define PREPARE const dim3 grid(lattice()->sites[0], 2); const dim3 block(32, 4);
#define LOUDER(n) int loud = 2 * (n);
struct Lattice { int sites[4]; };
Lattice *lattice();
struct Limits { static unsigned most; };
unsigned Limits::most = 256;
int parts(long long a, long long b) { return (a + b - 1) / b; }
template <typename T> __global__ void fill(T *a, int n) { a[threadIdx.x] = n; }
template <typename T> struct Field {
    static void first(T *a, int count) {
        SPREAD(count);
        fill<<<blocks, threads>>>(a, count); // tried: fill<float><<<40, 250>>>(n=10000)
    }
    static void second(T *a, int count) {
        PREPARE;
        fill<<<grid, block>>>(a, count); // tried: fill<float><<<(1280, 2), (32, 4)>>>(n=5) | fill<float><<<(96, 2), (32, 4)>>>(n=5)
    }
    static void third(T *a, int count) {
        int loud = 3;
        if (count > 7) { LOUDER(count) fill<<<1, 32>>>(a, loud); } // tried: fill<float><<<1, 32>>>(n=18)
        else { LOUDER(count) }
        fill<<<2, 32>>>(a, loud); // tried: fill<float><<<2, 32>>>(n=3)
    }
};
int main() {
    Field<float>::first(nullptr, 10000);
    Field<float>::second(nullptr, 5);
    Field<float>::third(nullptr, 9);
}
