// Functions of more than one statement, and functions that depend on template arguments.
#include <stdexcept>
__global__ void k(int n) {}
template <typename T> __global__ void typed(T *a) {}
int round_up(int n, int to) {
    int rest = n % to;
    if (rest == 0) return n;
    return n - rest + to;
}
constexpr unsigned warps(unsigned threads) {
    const unsigned whole = threads / 32;
    return whole * 32 == threads ? whole : whole + 1;
}
int width_of(int kind) {
    switch (kind) {
        case 0:
        case 1: return 64;
        case 2: {
            int wide = 128;
            return wide + 64;
        }
        default: return 256;
    }
}
int checked(int n) {
    if (n <= 0) throw std::runtime_error("n");
    else if (n > 512) { return 512; }
    return n;
}
int adjusted(int n) {
    int threads = 96;
    if (n > 1000) threads = 320;
    else threads += 4;
    return threads;
}
int counted(int n) {
    int threads = 1;
    while (threads < n) threads *= 2;
    return threads;
}
int first_of(const int *sizes, int n) {
    for (int i = 0; i < n; i++)
        if (sizes[i] > 32) return sizes[i];
    return 7;
}
int depth(int n) { return n > 1 ? 1 + depth(n / 2) : 0; }
int forever(int n) { return forever(n + 1); }
int defaulted(int n, int by = 4) { return n * by; }
namespace sizes { int of(int n) { return n + 1; } }
struct Other { int of(int n) { return n + 2; } };

template <typename T> constexpr int per_thread() { return 16 / sizeof(T); }
template <> constexpr int per_thread<double>() { return 1; }
template <int N, int M> constexpr int larger() { return N > M ? N : M; }
template <typename T> struct Traits { static constexpr int kThreads = 128; };
template <> struct Traits<double> { static constexpr int kThreads = 64; };
template <typename T> struct Traits<T *> { static constexpr int kThreads = 32; };
template <typename T> void instance(T *a) {
    typed<T><<<1, 1024 / per_thread<T>()>>>(a);  // launch: typed<float> grid=(1,1,1) block=(256,1,1) | typed<double> grid=(1,1,1) block=(1024,1,1)
    typed<T><<<1, Traits<T>::kThreads>>>(a);  // launch: typed<float> grid=(1,1,1) block=(128,1,1) | typed<double> grid=(1,1,1) block=(64,1,1)
    constexpr int threads = larger<sizeof(T) * 16, 96>();
    typed<T><<<1, threads>>>(a);  // launch: typed<float> grid=(1,1,1) block=(96,1,1) | typed<double> grid=(1,1,1) block=(128,1,1)
    typed<<<1, Traits<T *>::kThreads>>>(a);  // launch: typed<float> grid=(1,1,1) block=? | typed<double> grid=(1,1,1) block=?
}
template <typename T> int threads_for(T) { return 512 / sizeof(T); }

int none_or(int n) { return n > 5 ? 32 : 0; }
int program(int argc, char **argv) {
    k<<<round_up(100, 32), warps(100)>>>(1);  // launch: k grid=(128,1,1) block=(4,1,1)
    k<<<round_up(96, 32), warps(64)>>>(1);  // launch: k grid=(96,1,1) block=(2,1,1)
    k<<<width_of(0), width_of(2)>>>(width_of(7));  // launch: k grid=(64,1,1) block=(192,1,1) n=256
    k<<<1, width_of(argc)>>>(1);  // launch: k grid=(1,1,1) block=(64,1,1) if `kind == 0` | k grid=(1,1,1) block=(192,1,1) if `kind == 2` | k grid=(1,1,1) block=(256,1,1)
    k<<<checked(2000), checked(32)>>>(1);  // launch: k grid=(512,1,1) block=(32,1,1)
    k<<<1, checked(argc)>>>(1);  // launch: k grid=(1,1,1) block=(512,1,1) if `n > 512`
    k<<<1, adjusted(2000)>>>(adjusted(5));  // launch: k grid=(1,1,1) block=(320,1,1) n=100
    k<<<1, counted(100)>>>(1);  // launch: k grid=(1,1,1) block=(128,1,1)
    int list[] = {16, 64};
    k<<<1, first_of(list, 2)>>>(1);  // launch: k grid=(1,1,1) block=?
    k<<<depth(8), forever(8)>>>(1);  // launch: k grid=(3,1,1) block=?
    k<<<defaulted(3), defaulted(5, 6)>>>(1);  // launch: k grid=(12,1,1) block=(30,1,1)
    k<<<sizes::of(3), of(5)>>>(1);  // launch: k grid=(4,1,1) block=(6,1,1)
    k<<<threads_for(1.0), threads_for('c')>>>(threads_for(argc));  // launch: k grid=(64,1,1) block=(512,1,1) n=128
    k<<<1, none_or(argc)>>>(1);  // launch: k grid=(1,1,1) block=(32,1,1) if `n > 5`
    instance<float>(nullptr);
    instance<double>(nullptr);
}
