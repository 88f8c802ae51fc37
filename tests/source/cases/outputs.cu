// Values that calls write through references and pointers, and that structs carry.
#include <utility>
#include "helpers_not_there.h"
__global__ void k(int n, float *a) {}
void config(int n, dim3 &grid, dim3 &block) {
    block = dim3(192);
    grid = dim3((n + block.x - 1) / block.x);
}
void by_pointer(int n, int *threads, dim3 *block) {
    *threads = n * 2;
    block->x = 16;
    block->y = n;
}
void either(int n, int &threads) {
    threads = 64;
    if (n > 100) {
        threads = 512;
        return;
    }
    threads += 0;
}
void keeps(int n, int &threads) {
    if (n < 0) threads = 1;
}
void assigned(const dim3 &from, dim3 &to) { to = from; }
void gone(int &threads);
void looped(int n, int &threads) {
    for (int i = 0; i < n; i++) threads = i;
}
struct Config {
    dim3 grid, block;
    int shared = 48;
    unsigned stream;
};
struct Made {
    dim3 block;
    int count;
    Made(int n) : block(n, 4) { count = n * 3; }
};
typedef struct { int rows; int cols; Config inner; } Outer;
Config make(int n) {
    Config c;
    c.block = dim3(n, 2);
    c.grid.x = 7;
    return c;
}
Config listed(int n) { return {dim3(n), dim3(2 * n), 16}; }
std::pair<dim3, dim3> both(int n) { return {dim3(n), dim3(n + 1, 3)}; }
dim3 shape(int n) { return n > 8 ? dim3(n, 2) : dim3(n, 4); }
int count(int n) { return n + 0.7; }
void launch(const Config &c, float *a) {
    k<<<c.grid, c.block, c.shared>>>(1, a);  // launch: k grid=(7,1,1) block=(96,2,1) shared=48 n=1 | k grid=(5,1,1) block=(10,1,1) shared=16 n=1
}
void launch_pointer(Outer *o, float *a) {
    k<<<o->inner.grid, (*o).inner.block, o->rows>>>(o->cols, a);  // launch: k grid=(6,1,1) block=(72,1,1) shared=9 n=5
}
void never_called(const Config *c, float *a) {
    k<<<c->grid, c->block, c->shared>>>(1, a);  // launch: k grid=? block=? shared=None n=1
}
int program(int argc, char **argv) {
    float *a;
    int n = 1000;
    dim3 grid, block;
    config(n, grid, block);
    k<<<grid, block>>>(n, a);  // launch: k grid=(6,1,1) block=(192,1,1) n=1000
    block.y = 2;
    k<<<grid, block>>>(n, a);  // launch: k grid=(6,1,1) block=(192,2,1) n=1000
    int threads;
    dim3 shaped;
    by_pointer(8, &threads, &shaped);
    k<<<threads, shaped>>>(1, a);  // launch: k grid=(16,1,1) block=(16,8,1) n=1
    int t = 1, u = 2, v = 3, w = 4;
    either(200, t);
    either(20, u);
    k<<<t, u>>>(1, a);  // launch: k grid=(512,1,1) block=(64,1,1) n=1
    keeps(5, v);
    k<<<1, v>>>(1, a);  // launch: k grid=(1,1,1) block=(3,1,1) n=1
    gone(w);
    k<<<1, w>>>(1, a);  // launch: k grid=(1,1,1) block=? n=1
    looped(4, v);
    k<<<1, v>>>(1, a);  // launch: k grid=(1,1,1) block=(3,1,1) n=1
    dim3 copy;
    assigned(dim3(3, 5), copy);
    k<<<1, copy>>>(1, a);  // launch: k grid=(1,1,1) block=(3,5,1) n=1
    launch(make(96), a);
    Config c = listed(5);
    launch(c, a);
    c.block.x = 40;
    k<<<c.grid, c.block, c.stream>>>(c.shared, a);  // launch: k grid=(5,1,1) block=(40,1,1) shared=0 n=16
    Config d{dim3(2), dim3(33)};
    k<<<d.grid, d.block>>>(d.shared, a);  // launch: k grid=(2,1,1) block=(33,1,1) n=48
    Config e = {.grid = dim3(4), .block = dim3(34)};
    k<<<e.grid, e.block>>>(e.shared, a);  // launch: k grid=(4,1,1) block=(34,1,1) n=48
    Made m(20);
    k<<<m.count, m.block>>>(m.count, a);  // launch: k grid=(60,1,1) block=(20,4,1) n=60
    auto pair = both(50);
    k<<<pair.first, pair.second>>>(1, a);  // launch: k grid=(50,1,1) block=(51,3,1) n=1
    k<<<shape(4), shape(12)>>>(1, a);  // launch: k grid=(4,4,1) block=(12,2,1) n=1
    k<<<1, count(8)>>>(1, a);  // launch: k grid=(1,1,1) block=(8,1,1) n=1
    Outer o;
    o.inner.block = dim3(72);
    o.inner.grid.x = 6;
    o.rows = 9;
    o.cols = 5;
    launch_pointer(&o, a);
    Config f = make(3);
    unknown_to_us(f);
    k<<<f.grid, f.block>>>(1, a);  // launch: k grid=? block=? n=1
}
struct Runner {
    int threads_;
    dim3 block_;
    int twice_ = 0, outside_ = 0, started_ = 5;
    Runner() { block_ = dim3(8, 8); }
    void configure() {
        threads_ = 160;
        this->twice_ = 1;
        started_ = 6;
    }
    void again() { twice_ = 2; }
    void run(float *a) {
        k<<<1, threads_>>>(1, a);  // launch: k grid=(1,1,1) block=(160,1,1) n=1
        k<<<1, block_>>>(this->threads_, a);  // launch: k grid=(1,1,1) block=(8,8,1) n=160
        k<<<1, twice_>>>(1, a);  // launch: k grid=(1,1,1) block=? n=1
        k<<<1, outside_>>>(1, a);  // launch: k grid=(1,1,1) block=? n=1
        k<<<1, started_>>>(1, a);  // launch: k grid=(1,1,1) block=? n=1
    }
};
int set_later;
void setter(Runner *r) {
    r->outside_ = 3;
    set_later = 224;
}
void uses(float *a) {
    k<<<1, set_later>>>(1, a);  // launch: k grid=(1,1,1) block=(224,1,1) n=1
}
