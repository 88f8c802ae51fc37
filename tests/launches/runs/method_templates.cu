// A kernel's type is deduced by a method template; an alias of a block hides none of another block.
struct Image {
    void *data;
    int type;
    template <typename T> T *ptr(int y = 0) { return (T *)data + y; }
    template <typename T> const T *ptr(int y = 0) const { return (const T *)data + y; }
};
template <typename T> __global__ void invert(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = ~a[i];
}
void run(Image &image) {
    if (image.type == 0) {
        using T = unsigned char;
        invert<<<4, 64>>>(image.ptr<unsigned char>(), 256);  // tried: invert<unsigned char><<<4, 64>>>(n=256)
        invert<T><<<8, 32>>>(image.ptr<T>(), 256);  // tried: invert<unsigned char><<<8, 32>>>(n=256)
    } else {
        using T = unsigned short;
        invert<T><<<16, 16>>>(image.ptr<T>(), 256);  // tried: invert<unsigned short><<<16, 16>>>(n=256)
    }
}
