// What is constant keeps what it was made of, whatever is called with it.
#include <cuda_runtime.h>
__global__ void blur(float *a, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) a[i * columns] *= 2;
}
void tell(int &rows, int &columns);
class Image {
  public:
    Image(int rows, int columns) : rows_(rows), columns_(columns) { cudaMalloc(&a_, 1 << 20); }
    void show() { tell(rows_, columns_); }
    void step() { blur<<<4, 64>>>(a_, rows_, columns_); }  // told: rows=250; open: columns

  private:
    const int rows_ = 1;
    int columns_ = 1;
    float *a_;
};
int main() {
    const int rows = 250;
    int columns = 64;
    tell(rows, columns);
    Image image(rows, 128);
    image.show();
    image.step();
    float *a;
    cudaMalloc(&a, 1 << 20);
    blur<<<4, 32>>>(a, rows, columns);  // told: rows=250; open: columns
}
