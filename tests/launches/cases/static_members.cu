// Static members of classes, which are defined out of them.
struct Limits {
    static unsigned lanes_each;
    static int changed;
    int blocks() const { return lanes_each / 8; }
};
unsigned Limits::lanes_each = 256;
int Limits::changed = 3;
void configure(int n) { Limits::changed = n; }
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
void run(float *a) {
    fill<<<2, Limits::lanes_each>>>(a, 5); // tried: fill<<<2, 256>>>(n=5)
    fill<<<2, 32>>>(a, Limits::changed); // tried: fill<<<2, 32>>>(n=3)
    Limits limits;
    fill<<<3, 32>>>(a, limits.blocks()); // tried: fill<<<3, 32>>>(n=32)
}
