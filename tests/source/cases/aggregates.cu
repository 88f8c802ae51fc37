// Values that stand in arrays, copies of dim3s, and members that constructors set.
__global__ void k(int n, float *a) {}
struct Solver {
    int threads, other;
    dim3 shape;
    const int rows = 48;
    int columns = 7;
    Solver(int t) : threads(t), shape(32, t / 16), columns{9} {}
    void run(float *a) {
        k<<<columns, threads>>>(rows, a);  // launch: k grid=(9,1,1) block=(64,1,1) n=48
        k<<<1, shape>>>(rows, a);  // launch: k grid=(1,1,1) block=(32,4,1) n=48
        k<<<1, other>>>(rows, a);  // launch: k grid=(1,1,1) block=? n=48
    }
};
class Either {
    int threads = 16;
    Either() {}
    Either(bool) : threads(128) {}
    void run(float *a);
};
void Either::run(float *a) {
    k<<<1, threads>>>(1, a);  // launch: k grid=(1,1,1) block=(16,1,1) | k grid=(1,1,1) block=(128,1,1)
}
struct Changed {
    int threads;
    Changed() : threads(4) {}
    void grow() { threads *= 2; }
    void run(float *a) {
        k<<<1, threads>>>(1, a);  // launch: k grid=(1,1,1) block=?
    }
};
void fill(int *sizes) { sizes[0] = 3; }
int sum(const int *sizes);
int twice(int *sizes) { return 2 * sizes[0]; }
void taken(int *sizes, float *a) {
    k<<<sizes[0], sizes[1]>>>(1, a);  // launch: k grid=(8,1,1) block=(192,1,1)
}
void host(float *a, int i) {
    Solver solver(64);
    solver.run(a);
    dim3 g(3, 4), b(16, 16);
    k<<<dim3(g), dim3(b)>>>(1, a);  // launch: k grid=(3,4,1) block=(16,16,1)
    k<<<dim3(g.y), dim3{b}>>>(1, a);  // launch: k grid=(4,1,1) block=(16,16,1)
    int size[2];
    size[0] = 5;
    size[1] = 128;
    k<<<size[0], size[1]>>>(2, a);  // launch: k grid=(5,1,1) block=(128,1,1)
    size[i] = 4;
    k<<<1, size[1]>>>(2, a);  // launch: k grid=(1,1,1) block=?
    int both[2] = {8, 192};
    taken(both, a);
    k<<<both[0], both[1]>>>(2, a);  // launch: k grid=(8,1,1) block=(192,1,1)
    twice(both);
    k<<<both[0], both[1]>>>(2, a);  // launch: k grid=(8,1,1) block=(192,1,1)
    int other[2] = {8, 192};
    fill(other);
    k<<<other[0], other[1]>>>(2, a);  // launch: k grid=? block=(192,1,1)
}
struct Packed { int first; int count; };
void cast_of(void *given) {
    Packed *packed = (Packed *)given;
    k<<<packed->count, 64>>>(packed->count, nullptr);  // launch: k grid=? block=(64,1,1) n=?
}
