// Blocks that a bound limits: the bound is one alternative, and what it supposes is said.
#include <algorithm>
#define NT 128
#define smaller(a, b) ((a) < (b) ? (a) : (b))
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
__global__ void k(int n) {}
template <typename T> T least(T a, T b) { return a < b ? a : b; }
int rounded(int n) { return std::min(1024, (n + 31) / 32 * 32); }
void run(int n, int w) {
    dim3 block, grid;
    block.x = min(NT, w / 8);
    grid.x = n / NT;
    k<<<grid, block>>>(n);  // launch: k grid=? block=(128,1,1) n=? if not `w / 8 < 128`
    k<<<min(65535, n), 32>>>(n);  // launch: k grid=? block=(32,1,1) n=?
    k<<<1, std::max<int>(64, n)>>>(n);  // launch: k grid=(1,1,1) block=(64,1,1) n=? if not `n > 64`
    k<<<1, std::min<unsigned>(w, 2 * NT)>>>(w);  // launch: k grid=(1,1,1) block=(256,1,1) n=? if not `w < 2 * 128`
    k<<<1, std::clamp(n, 32, 256)>>>(1);  // launch: k grid=(1,1,1) block=(256,1,1) n=1 if not `n < 256`
    k<<<1, smaller(n, 512)>>>(1);  // launch: k grid=(1,1,1) block=(512,1,1) n=1 if not `n < 512`
    k<<<1, least(96, w)>>>(1);  // launch: k grid=(1,1,1) block=(96,1,1) n=1 if `a < b`
    k<<<1, rounded(n)>>>(1);  // launch: k grid=(1,1,1) block=(1024,1,1) n=1 if not `((n + 31) / 32) * 32 < 1024`
    k<<<CEIL_DIV(1000, NT), std::min({NT, 64, 256})>>>(1);  // launch: k grid=(8,1,1) block=(64,1,1) n=1
    k<<<std::min<int>(3.7, 5), std::clamp(17, 32, 64)>>>(1);  // launch: k grid=(3,1,1) block=(32,1,1) n=1
    k<<<1, std::max(1, n)>>>(1);  // launch: k grid=(1,1,1) block=? n=1
    k<<<1, n>>>(min(NT, n));  // launch: k grid=(1,1,1) block=? n=?
}
