// Of an object made by the constructor that leaves a member unset nobody reads that member.
class Chunk {
    double *density;
    unsigned int blocks;
    int x_max;
    bool shown;
    void report(int line);
public:
    void gas();
    Chunk(int *in_max, bool *in_shown);
    Chunk(void);
};
Chunk chunk;
__global__ void gas_k(double *a, int x_max) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x_max) a[i] += 1;
}
Chunk::Chunk(void) { ; }
Chunk::Chunk(int *in_max, bool *in_shown)
    : x_max(*in_max), shown(*in_shown), blocks((*in_max + 255) / 256) {}
extern "C" void start_(int *in_max, bool *in_shown) { chunk = Chunk(in_max, in_shown); }
extern "C" void gas_() { chunk.gas(); }
void Chunk::gas() {
    gas_k<<<blocks, 256>>>(density, x_max);  // computed: grid
}
