// What the GPU is asked for may be told to members, globals, and through pointers and references.
#include <vector>
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
__global__ void more(float *a, int n) { a[threadIdx.x] = n; }
__global__ void last(float *a, int n) { a[threadIdx.x] = n; }
class Runner {
    int units_, least_, width_;
    cudaDeviceProp known_;
    float *a_;
  public:
    Runner() {
        cudaGetDeviceProperties(&known_, 0);
        cudaDeviceGetAttribute(&units_, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxPotentialBlockSize(&this->least_, &this->width_, fill, 0, 0);
    }
    void each() {
        fill<<<units_, 32>>>(a_, 1); // tried: fill<<<108, 32>>>(n=1)
        fill<<<known_.multiProcessorCount, 64>>>(a_, 2); // tried: fill<<<108, 64>>>(n=2)
        last<<<least_, width_>>>(a_, 3); // tried: last<<<216, 1024>>>(n=3)
    }
};
class Another { // its members of these names are its own
    int units_;
    float *a_;
  public:
    Another(int units_given) : units_(units_given) {}
    void each() {
        fill<<<units_, 96>>>(a_, 4); // tried: fill<<<1280, 96>>>(n=4) | fill<<<96, 96>>>(n=4)
    }
};
int most_threads;
void prepare() { cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerBlock, 0); }
void of_globals(float *a) { more<<<1, most_threads>>>(a, 5); } // tried: more<<<1, 1024>>>(n=5)
void fit(int n, int *blocks, int *width) {
    int least;
    cudaOccupancyMaxPotentialBlockSize(&least, width, fill, 0, 0);
    *blocks = (n + *width - 1) / *width;
}
void halved(int *width) {
    int least;
    cudaOccupancyMaxPotentialBlockSize(&least, width, fill, 0, 0);
    *width = 512;
}
void fit_referred(int n, int &blocks, int &width) {
    int least;
    cudaOccupancyMaxPotentialBlockSize(&least, &width, fill, 0, 0);
    blocks = (n + width - 1) / width;
}
void through(float *a) {
    int blocks, width;
    fit(4096, &blocks, &width);
    more<<<blocks, width>>>(a, 6); // tried: more<<<4, 1024>>>(n=6)
    fit_referred(8192, blocks, width);
    more<<<blocks, width>>>(a, 7); // tried: more<<<8, 1024>>>(n=7)
    halved(&width);
    more<<<1, width>>>(a, 8); // tried: more<<<1, 512>>>(n=8)
}
void of_properties(float *a) {
    cudaDeviceProp *one = new cudaDeviceProp;
    cudaGetDeviceProperties(one, 0);
    last<<<one->multiProcessorCount, 32>>>(a, 9); // tried: last<<<108, 32>>>(n=9)
    std::vector<cudaDeviceProp> all(2);
    cudaGetDeviceProperties(&all[0], 0);
    last<<<2 * all[0].multiProcessorCount, 32>>>(a, 10); // tried: last<<<216, 32>>>(n=10)
}
