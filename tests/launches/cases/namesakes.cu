// Kernels of one name in several namespaces: a launch is of the one that its path names.
namespace image {
namespace plain {
template <int Rows>
__global__ void blur(float *a, int width, int height) { a[threadIdx.x * width + height] = Rows; }
__global__ void sharpen(float *a, int width, int height) { a[threadIdx.x * width + height] = 1; }
}
namespace dense {
template <int Rows>
__global__ void blur(float *a, int level, int width) { a[threadIdx.x * width + level] = Rows; }
__global__ void sharpen(float *a, int level, int width) { a[threadIdx.x * width + level] = 1; }
}
void both(float *a, int w, int h) {
    plain::blur<2><<<w / 32, 32>>>(a, w, h);  // tried: blur<2><<<40, 32>>>(width=1280, height=1152) | blur<2><<<3, 32>>>(width=96, height=160)
    image::dense::blur<4><<<w / 64, 64>>>(a, 7, w);  // tried: blur<4><<<20, 64>>>(level=7, width=1280) | blur<4><<<1, 64>>>(level=7, width=96)
    plain::sharpen<<<w / 32, 32>>>(a, w, h);  // tried: sharpen<<<40, 32>>>(width=1280, height=1152) | sharpen<<<3, 32>>>(width=96, height=160)
    dense::sharpen<<<w / 64, 64>>>(a, 7, w);  // tried: sharpen<<<20, 64>>>(level=7, width=1280) | sharpen<<<1, 64>>>(level=7, width=96)
}
}
