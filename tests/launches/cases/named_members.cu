// A reference to a member is another name of it: what it has where the name is used.
__global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = n;
}
struct Shape { dim3 grid, block; int n; };
void bound(Shape *shape) {
    shape->block = dim3(96);
    shape->grid = dim3(12);
}
void named(float *a, Shape *shape) {
    bound(shape);
    dim3 &grid = shape->grid, &block = shape->block;
    k<<<grid, block>>>(a, 7); // tried: k<<<12, 96>>>(n=7)
}
void later(float *a) {
    Shape shape;
    shape.block = dim3(32);
    int &n = shape.n;
    dim3 &block = shape.block;
    shape.block = dim3(64);
    shape.n = 900;
    k<<<(n + 63) / 64, block>>>(a, n); // tried: k<<<15, 64>>>(n=900)
}
void through(float *a) {
    Shape shape;
    shape.block = dim3(32);
    shape.grid = dim3(4);
    dim3 &block = shape.block;
    block.x = 128;
    k<<<shape.grid, shape.block>>>(a, 5); // tried:
}
