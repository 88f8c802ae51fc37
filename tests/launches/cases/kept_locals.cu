// A static local has its initialiser only until its own function sets it. Where that is a branch
// which asks for the value that it had, the first call tells what all calls see behind it. (`count` is also a global, in globals.cu.)
namespace settings { int parallel_blocks = 8; }
__global__ void counted(float *a, int n) { a[threadIdx.x] += n; }
__global__ void lessened(float *a, int n) { a[threadIdx.x] -= n; }
namespace {
int doubled(int objects) {
    static int needed = -1;
    if (needed == -1) {
        needed = settings::parallel_blocks;
        while (needed * 1024 < objects) needed *= 2;
    }
    return needed;
}
int halved(int objects) {
    static int needed = -1;
    if (needed < 0) needed = objects / 2;
    return needed;
}
int grown(int objects) {
    static int most = 64;
    if (objects > most) most = objects;
    return most;
}
int left_by_branch(int objects) {
    static int needed = -1;
    if (needed == -1) {
        needed = objects / 2;
        return 7;
    }
    return needed;
}
int alternating() {
    static int turn = 1;
    if (turn == 1) turn = 2;
    else turn = 1;
    return turn;
}
int set_by_others(bool wide) {
    static int width = 96;
    if (wide) width = 160;
    return width;
}
int multiprocessors() {
    static int count = -1;
    if (count < 0) cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}
int never_written() {
    static int width = 224;
    return width;
}
}
void report(float *a, bool wide) {
    counted<<<1, 32>>>(a, doubled(0)); // tried: counted<<<1, 32>>>(n=8)
    counted<<<1, 32>>>(a, halved(640)); // tried: counted<<<1, 32>>>(n=320)
    counted<<<1, 32>>>(a, grown(48)); // tried: counted<<<1, 32>>>(n=64)
    counted<<<1, 32>>>(a, grown(96)); // tried: counted<<<1, 32>>>(n=96)
    counted<<<1, 32>>>(a, left_by_branch(640)); // tried: counted<<<1, 32>>>(n=1280) | counted<<<1, 32>>>(n=96)
    counted<<<1, 32>>>(a, alternating()); // tried: counted<<<1, 32>>>(n=1280) | counted<<<1, 32>>>(n=96)
    lessened<<<1, 32>>>(a, set_by_others(wide)); // tried: lessened<<<1, 32>>>(n=160)
    lessened<<<1, 32>>>(a, multiprocessors()); // tried: lessened<<<1, 32>>>(n=108)
    lessened<<<1, 32>>>(a, never_written()); // tried: lessened<<<1, 32>>>(n=224)
}
