// Members of members are one root wherever they stand; a member may be called `data` as a tensor's
// pointer is; constants that a function of mathematics gives.
struct Shape { int x, y; };
struct Matrix { Shape shape; float *data; };
__global__ void plain(float *a, int nx, int ny) { a[2 * threadIdx.x * nx] += ny; }
template <typename T> __global__ void fill(T *a, float by) { a[2 * threadIdx.x] = by; }
const float PI = 2.0 * asin(1.0);
void forward(Matrix &z) {
    dim3 blocks((z.shape.y * z.shape.x + 255) / 256);
    plain<<<blocks, 256>>>(z.data, z.shape.x, z.shape.y);  // tried: plain<<<5760, 256>>>(nx=1152, ny=1280) | plain<<<60, 256>>>(nx=160, ny=96)
}
void filled(const Matrix &in) {
    fill<<<8, 256>>>(in.data, PI);  // tried: fill<float><<<8, 256>>>(by=3.1415927)
}
