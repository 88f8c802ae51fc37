// Of overloads those are run that take what is given: text is no number, and no pointer.
#include <string>
#include <cuda_runtime.h>
__global__ void blur(int *a, int rows, int columns, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) a[i * columns] *= by;
}
template <typename T> class Image {
  public:
    Image(T *data, int rows, int columns) : rows_(rows), columns_(columns) { cudaMalloc(&a_, 9); }
    Image(std::string file, int rows, int columns) : rows_(rows), columns_(columns) {
        cudaMalloc(&a_, rows * columns * sizeof(T));
    }
    T *a_;
    int rows_, columns_;
};
struct Settings {
    int by = 1, times = 1;
    void set(const std::string &name, const std::string &value) { by = 6; }
    void set(const std::string &name, int value) { by = value; }
    void repeat(float often) { times = 2; }
    void repeat(int often) { times = 3; }
};
int main() {
    std::string name("salt.txt");
    Image<int> image(name, 250, 128);
    Settings s;
    s.set(name, 7);
    blur<<<4, 64>>>(image.a_, image.rows_, image.columns_, s.by);  // told: rows=250 columns=128 by=7
    s.repeat(9);
    blur<<<4, 32>>>(image.a_, image.rows_, image.columns_, s.times);  // open: by
}
