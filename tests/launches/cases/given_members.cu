// Members that are handed to functions by reference, or by their address, are what these write.
__global__ void add(float *a, int n) { a[threadIdx.x] += n; }
__global__ void sub(float *a, int n) { a[threadIdx.x] -= n; }
struct Sizes { int n, m; };
struct Setup { dim3 grid, block; int n; };
void smallest(unsigned count, unsigned each, unsigned &x, unsigned &y) {
    x = (count + each - 1) / each;
    y = 1;
    if (x > 65535) { y = 2; x = (x + 1) / 2; }
}
void not_shown(unsigned count, unsigned &x);
int by_value(unsigned x);
void set(int &n) { n = 77; }
void set_at(int *n) { *n = 78; }
void fit(int n, dim3 &grid, unsigned *depth) { grid = dim3(n / 10, 2); *depth = 3; }
void whole(Setup &s, int n) { fit(n, s.grid, &s.block.z); s.n = n; }
void run(float *a) {
    dim3 grid;
    smallest(1000, 256, grid.x, grid.y);
    add<<<grid, 256>>>(a, 1); // tried: add<<<4, 256>>>(n=1)
    dim3 other(9);
    by_value(other.x);
    add<<<other, 96>>>(a, 2); // tried: add<<<9, 96>>>(n=2)
    dim3 unseen;
    not_shown(1000, unseen.x);
    add<<<unseen, 128>>>(a, 3); // tried: add<<<1280, 128>>>(n=3) | add<<<96, 128>>>(n=3)
}
void more(float *a) {
    Sizes s;
    set(s.n);
    set_at(&s.m);
    sub<<<s.n, 64>>>(a, s.m); // tried: sub<<<77, 64>>>(n=78)
    Setup c;
    c.block = dim3(8, 4);
    whole(c, 500);
    sub<<<c.grid, c.block>>>(a, c.n); // tried: sub<<<(50, 2), (8, 4, 3)>>>(n=500)
}
