// Constructors and methods that set members on a condition: the arm that is taken says.
struct Tuning {
    int device, threads, factor, tile;
    bool wide;
    Tuning(int device, bool wide, int rows) : device(device), wide(wide) {
        cudaDeviceProp prop;
        cudaGetDeviceProperties(&prop, device);
        threads = 512;
        if (prop.major == 8) {
            this->threads = 1024;
            this->factor = 2;
        } else if (prop.major >= 7) {
            this->threads = 256;
            this->factor = 3;
        } else {
            this->threads = 128;
            this->factor = 4;
        }
        if (rows > 100) tile = 64;
        else tile = 32;
    }
};
struct Shape {
    int blocks = 1, threads = 32;
    void cut(int rows, int columns) {
        if (rows != 1) {
            threads = 128;
            blocks = rows / 128;
        } else {
            threads = 64;
            blocks = columns / 64;
        }
    }
    void kind(int which, int n) {
        switch (which) {
            case 0: threads = 96; break;
            default: threads = 160; break;
        }
        blocks = n;
    }
};
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void other(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void on(Tuning &t, float *a) {
    plain<<<10 * t.factor, t.threads>>>(a, t.tile);  // tried: plain<<<20, 1024>>>(n=64)
}
void fixed(float *a) {
    Tuning tuning(0, false, 200);
    on(tuning, a);
    Tuning low(0, false, 50);
    plain<<<3, 64>>>(a, low.tile);  // tried: plain<<<3, 64>>>(n=32)
    Shape many;
    many.cut(1024, 8);
    plain<<<many.blocks, many.threads>>>(a, 1);  // tried: plain<<<8, 128>>>(n=1)
    Shape one;
    one.cut(1, 640);
    plain<<<one.blocks, one.threads>>>(a, 2);  // tried: plain<<<10, 64>>>(n=2)
}
// Which arm is taken hangs on a size: one is supposed. What a switch sets is not known.
void open(float *a, int rows) {
    Tuning sized(0, false, rows);
    other<<<5, 64>>>(a, sized.tile);  // tried: other<<<5, 64>>>(n=32)
    Shape shape;
    shape.kind(rows, 7);
    other<<<shape.blocks, 64>>>(a, shape.threads);  // tried: other<<<7, 64>>>(n=256) | other<<<7, 64>>>(n=128)
}
