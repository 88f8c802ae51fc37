// Bytes behind what objects own: what their constructor allocates, as long as nobody else may.
#include <cuda_runtime.h>
#include <utility>
#include <vector>
__global__ void k(float *a) { a[threadIdx.x] = 1; }
__global__ void pair(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }

struct Plain {
    float *p;
    Plain(int n) { cudaMalloc(&p, n * sizeof(float)); }
};
template <class T, int Rows> struct Counted {
    T *ptr = nullptr;
    size_t count = 0;
    explicit Counted(size_t n) : count(n) {
        if (cudaMalloc(&ptr, count * Rows * sizeof(T)) != cudaSuccess) throw 1;
    }
    explicit Counted(const std::vector<T> &h) : Counted(h.size()) { cudaMemcpy(ptr, h.data(), 4, cudaMemcpyHostToDevice); }
    Counted(const Counted &) = delete;
    ~Counted() { cudaFree(ptr); }
    void zero() { cudaMemset(ptr, 0, count); }
    operator T *() { return ptr; }
};
void constructors() {
    Plain a(100), b{50};
    std::vector<double> h(7);
    Counted<float, 1> c(10);
    Counted<double, 3> d(h);
    auto e = Counted<int *, 2>(5);
    c.zero();
    pair<<<1, 32>>>(a.p, b.p);  // launch: pair grid=(1,1,1) block=(32,1,1) a=400B b=200B
    pair<<<1, 32>>>(c, (float *)c.ptr);  // launch: pair grid=(1,1,1) block=(32,1,1) a=40B b=40B
    pair<<<1, 32>>>((float *)(double *)d, (float *)e.ptr);  // launch: pair grid=(1,1,1) block=(32,1,1) a=168B b=80B
}

template <class T> class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(size_t n) { allocate(n); }
    Buffer(Buffer &&o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; }
    Buffer &operator=(Buffer &&o) { std::swap(p_, o.p_); return *this; }
    ~Buffer() { release(); }
    void swap(Buffer &o) { std::swap(p_, o.p_); }
    void resize(size_t n) { if (n > n_) { release(); allocate(n); } }
    void release() { if (p_) cudaFree(p_); p_ = nullptr; }
    T **address() { return &p_; }
    T *get() const { return p_; }
    T *half() const { return n_ > 1 ? p_ + n_ / 2 : p_; }
  private:
    void allocate(size_t n) { n_ = n; cudaMalloc(&p_, n_ * sizeof(T)); }
    T *p_ = nullptr;
    size_t n_ = 0;
};
void shown(const Buffer<float> &b) { k<<<1, 32>>>(b.get()); }  // launch: k grid=(1,1,1) block=(32,1,1) a=400B
void worked(Buffer<float> &b) { k<<<1, 32>>>(b.get()); }  // launch: k grid=(1,1,1) block=(32,1,1) a=400B
void grown(Buffer<float> &b, size_t n) { b.resize(n); }
void handed(Buffer<float> &b) { k<<<1, 32>>>(b.get()); }  // launch: k grid=(1,1,1) block=(32,1,1) a=?
Buffer<float> made(size_t n) { Buffer<float> b(n); return b; }
void through_methods() {
    Buffer<float> plain(100);
    k<<<1, 32>>>(plain.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=400B
    k<<<1, 32>>>(plain.half());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    shown(plain);
    worked(plain);
    for (int i = 0; i < 2; i++) {
        Buffer<float> inner(i + 1);
        k<<<1, 32>>>(inner.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=4B | k grid=(1,1,1) block=(32,1,1) a=8B
    }
}
// Moved, swapped, assigned, resized, or given away: what such an object owns nobody tells.
void otherwise(int many) {
    Buffer<float> moved(20), swapped(30), resized(40), given(50), assigned(60), maybe(70), empty;
    Buffer<float> addressed(80), captured(90), destroyed(95);
    k<<<1, 32>>>(moved.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    Buffer<float> other(std::move(moved));
    k<<<1, 32>>>(other.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    swapped.swap(other);
    k<<<1, 32>>>(swapped.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    resized.resize(4000);
    k<<<1, 32>>>(resized.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    grown(given, 3);
    k<<<1, 32>>>(given.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    assigned = Buffer<float>(3);
    handed(assigned);
    if (many) maybe.resize(1000);
    k<<<1, 32>>>(maybe.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=? if not `many`
    cudaMalloc(addressed.address(), 10);
    k<<<1, 32>>>(addressed.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    auto later = [&] { captured.resize(3); };
    k<<<1, 32>>>(captured.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    destroyed.~Buffer();
    k<<<1, 32>>>(destroyed.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    auto from = made(50);
    k<<<1, 32>>>(from.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
    k<<<1, 32>>>(empty.get());  // launch: k grid=(1,1,1) block=(32,1,1) a=?
}

// One method that is called later, always and once; and allocations on a condition.
struct Late {
    float *p = nullptr;
    void create(int n) { cudaMalloc(&this->p, n * sizeof(float)); }
};
struct Unless {
    float *p = nullptr;
    explicit Unless(int n) { if (n > 4) cudaMalloc(&p, n); }
    explicit Unless(float *given) : p(given) {}
};
struct Twice {
    float *p;
    explicit Twice(int n) { if (cudaMalloc(&p, n)) cudaMallocManaged(&p, n / 2); }
};
template <class T> struct Special {
    T *p;
    explicit Special(int n) { cudaMalloc(&p, n); }
};
template <> struct Special<float> {
    float *p;
    explicit Special(int n) { cudaMalloc(&p, 2 * n); }
};
void later(float *theirs, int n) {
    Late once, again, turned;
    once.create(25);
    pair<<<1, 32>>>(once.p, again.p);  // launch: pair grid=(1,1,1) block=(32,1,1) a=100B b=0
    again.create(1);
    again.create(2);
    for (int i = 0; i < n; i++) turned.create(3);
    pair<<<1, 32>>>(again.p, turned.p);  // launch: pair grid=(1,1,1) block=(32,1,1) a=? b=?
    Unless large(8), small(2), borrowed(theirs);
    Twice twice(8);
    Special<float> special(8);
    pair<<<1, 32>>>(large.p, small.p);  // launch: pair grid=(1,1,1) block=(32,1,1) a=8B b=?
    pair<<<1, 32>>>(borrowed.p, twice.p);  // launch: pair grid=(1,1,1) block=(32,1,1) a=? b=?
    k<<<1, 32>>>(special.p);  // launch: k grid=(1,1,1) block=(32,1,1) a=?
}
