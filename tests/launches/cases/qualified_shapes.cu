// Shapes that a class or a namespace names.
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
struct Limits { static const dim3 shape; };
const dim3 Limits::shape(16, 8);
namespace config {
const dim3 shape(32, 4);
namespace inner { static const dim3 blocks = dim3(7); }
extern const dim3 unknown;
struct Other { static const dim3 shape; };
}
void run(float *a) {
    fill<<<3, Limits::shape>>>(a, 2); // tried: fill<<<3, (16, 8)>>>(n=2)
    fill<<<config::inner::blocks, config::shape>>>(a, 3); // tried: fill<<<7, (32, 4)>>>(n=3)
    fill<<<config::unknown, 64>>>(a, 4); // tried: fill<<<(24, 40, 56), 64>>>(n=4) | fill<<<(56, 24, 72), 64>>>(n=4)
    fill<<<config::Other::shape, 64>>>(a, 5); // tried: fill<<<(24, 40, 56), 64>>>(n=5) | fill<<<(56, 24, 72), 64>>>(n=5)
}
int main() { run(nullptr); }
