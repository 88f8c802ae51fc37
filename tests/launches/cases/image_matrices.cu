// What an image's matrix says of its size fits its rows and columns.
#include <cstddef>
namespace cv {
struct Size { int width, height; };
struct Mat {
    int rows, cols;
    size_t step;
    unsigned char *data;
    size_t total() const, elemSize() const;
    int channels() const;
    Size size() const;
};
Mat imread(const char *path);
}
struct Other { int rows, cols; size_t total() const; };
__global__ void invert(unsigned char *a, int width, int height, int step, int channels) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height)
        for (int c = 0; c < channels; ++c) a[y * step + x * channels + c] = 255 - a[y * step + x * channels + c];
}
__global__ void plain(unsigned char *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 0; }
void run(Other &other) {
    cv::Mat img = cv::imread("a.png");
    unsigned char *d;
    cudaMalloc(&d, img.total() * img.elemSize());
    dim3 grid((img.size().width + 63) / 64, img.rows);
    invert<<<grid, 64>>>(d, img.cols, img.rows, img.step, img.channels()); // tried: invert<<<(20, 1152), 64>>>(width=1280, height=1152, step=3840, channels=3) | invert<<<(2, 160), 64>>>(width=96, height=160, step=288, channels=3)
    plain<<<1, 96>>>(d, other.total()); // tried: plain<<<1, 96>>>(n=1408) | plain<<<1, 96>>>(n=224)
}
