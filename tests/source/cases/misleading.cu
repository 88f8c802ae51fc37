// Values that are overwritten where it is easily overlooked, and names that mean two things.
#include <iostream>
#include <utility>
__global__ void k(int n, int m) {}
namespace a { enum E { SIZE = 32 }; const int B = 3; }
namespace b { enum E { SIZE = 64 }; const int B = 4; }
struct P { static const int W = 7; };
struct Q { static const int W = 9; };
enum class X { T = 5 };
enum class Y { T = 6 };
#define SET(v) v = 64
#define LOADED(v) load(&v)
#define PASSED(v) parse(0, v)
#define READ(v) print(v)
struct Runner {
    int given = 256, assigned = 128, outside = 32, kept = 16;
    Runner(int n) : given(n) {}
    void set(int n) { this->assigned = n; }
    void run() {
        k<<<1, given>>>(1, 2);  // launch: k grid=(1,1,1) block=(5,1,1)
        k<<<1, assigned>>>(1, 2);  // launch: k grid=(1,1,1) block=?
        k<<<1, outside>>>(1, 2);  // launch: k grid=(1,1,1) block=?
        k<<<1, kept>>>(1, 2);  // launch: k grid=(1,1,1) block=(16,1,1)
    }
};
struct Option { const char *name; int *value; };
int passed = 5, pointed = 6, qualified = 7, listed = 8;
Option options[] = {{"listed", &listed}};
void parse(char **argv, int &value);
void print(int value);
void configure(char **argv) {
    parse(argv, passed);
    Runner r(5);
    r.outside = 8;
    int *pp[] = {&pointed};
    *pp[0] = 4;
}
void shadow(int qualified) { ::qualified = 4; }

int main() {
    k<<<a::SIZE, b::SIZE>>>(a::B, b::B);  // launch: k grid=(32,1,1) block=(64,1,1) n=3 m=4
    k<<<P::W, Q::W>>>((int)X::T, (int)Y::T);  // launch: k grid=(7,1,1) block=(9,1,1) n=5 m=6
    int n = 5, m = 6, o = 7, p = 8;
    SET(n);
    LOADED(m);
    PASSED(o);
    READ(p);
    k<<<n, dim3(m, o, p)>>>(1, 2);  // launch: k grid=? block=(?,?,8)
    k<<<passed, dim3(pointed, qualified, listed)>>>(1, 2);  // launch: k grid=(5,1,1) block=(6,7,8)
    int s = 5;
    if (!(std::cin >> s)) return 1;
    int t = 5;
    bool read = (bool)(std::cin >> t);
    int by = 2, shifted = 64 >> by;
    k<<<s, dim3(t, by, shifted)>>>(1, 2);  // launch: k grid=? block=(?,2,16)
    k<<<1, 32>>>(  // launch: k grid=(1,1,1) block=(32,1,1) n=1 m=2
                 1, \
                 2);
    int y, z;
    y = z = 16;
    k<<<y, z>>>(1, 2);  // launch: k grid=(16,1,1) block=(16,1,1)
    int d = 3, e = 4;
    std::swap(d, e);
    k<<<1, d>>>(e, 2);  // launch: k grid=(1,1,1) block=(4,1,1) n=3
    int w = 32;
    asm("" : "+r"(w));
    k<<<1, w>>>(1, 2);  // launch: k grid=(1,1,1) block=?
}
