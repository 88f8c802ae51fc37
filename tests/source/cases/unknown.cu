// Values that the source does not fix: nothing may be claimed, or what it hangs on is said.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include "not_there.h"
__global__ void k(int n) {}
int configured = 64;
int fixed_by_nobody = 96;
void configure() { configured = 128; }
void reads(const int &value);
void writes(int &value);

int program(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    k<<<1, n>>>(n);  // launch: k grid=(1,1,1) block=(1024,1,1) n=1024 if not `argc > 1`
    int m = 32;
    if (argc > 2) m = 64;
    k<<<1, m>>>(m);  // launch: k grid=(1,1,1) block=(32,1,1) n=32 if not `argc > 2`
    m = 16;
    k<<<1, m>>>(m);  // launch: k grid=(1,1,1) block=(16,1,1) n=16
    for (int i = 1; i < 4; i++) k<<<1, i>>>(m);  // launch: k grid=(1,1,1) block=(1,1,1) n=16 | k grid=(1,1,1) block=(2,1,1) n=16 | k grid=(1,1,1) block=(3,1,1) n=16
    int s = 512;
    while (s > 32) {
        k<<<1, s>>>(m);  // launch: k grid=(1,1,1) block=(512,1,1) n=16 | k grid=(1,1,1) block=(128,1,1) n=16 | k grid=(1,1,1) block=(64,1,1) n=16
        s /= 2;
    }
    k<<<1, s>>>(m);  // launch: k grid=(1,1,1) block=(32,1,1) n=16
    int t = 8;
    scanf("%d", &t);
    k<<<1, t>>>(m);  // launch: k grid=(1,1,1) block=? n=16
    int u = 8;
    std::cin >> u;
    k<<<1, u>>>(m);  // launch: k grid=(1,1,1) block=? n=16
    int v = 8, w = 8, x = 8;
    writes(v);
    reads(w);
    from_the_header(x);
    k<<<v, w>>>(x);  // launch: k grid=? block=(8,1,1) n=?
    k<<<1, configured>>>(m);  // launch: k grid=(1,1,1) block=? n=16
    k<<<1, fixed_by_nobody>>>(m);  // launch: k grid=(1,1,1) block=(96,1,1) n=16
    int &alias = m;
    alias = 3;
    k<<<1, m>>>(m);  // launch: k grid=(1,1,1) block=? n=?
    k<<<NOT_DEFINED, dim3(32, ALSO_NOT)>>>(1 << 31);  // launch: k grid=? block=(32,?,1) n=?
    dim3 b(32, 4);
    if (argc > 3) b.y = 8;
    k<<<b.x, b>>>(5);  // launch: k grid=(32,1,1) block=(32,4,1) n=5 if not `argc > 3`
    int q;
    k<<<1, q>>>(7 / 0);  // launch: k grid=(1,1,1) block=? n=?
    if (argc > 4) {
        m = 5;
        return 0;
    }
    int y = 4;
    if (argc > 5) {
        y = 5;
        return 0;
    }
    k<<<1, y>>>(1);  // launch: k grid=(1,1,1) block=(4,1,1)
    auto change = [&]() { y = 9; };
    change();
    k<<<1, y>>>(1);  // launch: k grid=(1,1,1) block=?
    {
        int y = 6;
        k<<<1, y>>>(1);  // launch: k grid=(1,1,1) block=(6,1,1)
    }
again:
    int z = 2;
    k<<<1, z>>>(1);  // launch: k grid=(1,1,1) block=(2,1,1)
}

void jumps(int c) {
    int n = 4;
    if (c) goto later;
    n = 8;
later:
    k<<<1, n>>>(1);  // launch: k grid=(1,1,1) block=?
}
