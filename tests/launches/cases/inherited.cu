// Members that base classes have: set by a derived class's constructor, by a base's that the list
// of a derived one calls, or by what they start with. Objects of each class are launches apart.
__global__ void plain(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { a[i] += 1.0f; }
}

class Base {
  public:
    Base() : threads(256), n(4096) {}
    virtual ~Base() {}
    void run(float *a) {
        plain<<<n / threads, threads>>>(a, n);  // tried: plain<<<32, 128>>>(n=4096)
    }
  protected:
    int threads, n;
};
class Overwrites : public Base {
  public:
    Overwrites() { threads = 128; }
};

class Sized {
  protected:
    int threads, n;
};
class One : public Sized {
  public:
    One(int count) { threads = 128; n = count; }
    void run(float *a) {
        plain<<<n / threads, threads>>>(a, n);  // tried: plain<<<8, 128>>>(n=1024)
    }
};
class Two : public Sized {
  public:
    Two(int count) { threads = 64; n = 2 * count; }
    void run(float *a) {
        plain<<<n / threads, threads>>>(a, n);  // tried: plain<<<16, 64>>>(n=1024)
    }
};

struct Narrow {
    int threads = 256;
    int n;
    Narrow(int count) { n = count; }
    void run(float *a) {
        plain<<<n / threads, threads>>>(a, n);  // tried: plain<<<8, 256>>>(n=2048) ; plain<<<8, 512>>>(n=4096)
    }
};
struct Wide : Narrow {
    Wide(int count) : Narrow(count) { this->threads = 512; }
};

struct Part {
    int n;
    Part(int count) : n(count) {}
    void run(float *a) {
        plain<<<n / 32, 32>>>(a, n);  // tried: plain<<<3, 32>>>(n=96) ; plain<<<6, 32>>>(n=192)
    }
};
struct Whole {
    Part part;
    Whole(int count) : part(3 * count) {}
};

// What a method of the derived class has changed before.
class Changed {
  public:
    Changed() : n(640) {}
    void run(float *a) {
        plain<<<n / 64, 64>>>(a, n);  // tried: plain<<<20, 64>>>(n=1280)
    }
  protected:
    int n;
};
class Later : public Changed {
  public:
    void twice() { n *= 2; }
};

#include <memory>
int main() {
    float *a = nullptr;
    Overwrites overwrites; overwrites.run(a);
    One one(1024); one.run(a);
    Two *two = new Two(512); two->run(a);
    Wide wide(4096); wide.run(a);
    Narrow narrow{2048}; narrow.run(a);
    Whole whole(32); whole.part.run(a);
    auto part = std::make_unique<Part>(192); part->run(a);
    Later later; later.twice(); later.run(a);
}
