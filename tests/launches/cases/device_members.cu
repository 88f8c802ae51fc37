// What a device answers, in members of structs that hold its properties.
#include <cstdlib>
struct Info {
    int device;
    cudaDeviceProp properties;
    int blocks, threads;
};
struct Holder {
    cudaDeviceProp properties;
    int warpSize;
    void run(float *a);
};
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
Info *ask() {
    Info *info = (Info *)malloc(sizeof(Info));
    cudaGetDeviceProperties(&info->properties, 0);
    info->blocks = info->properties.multiProcessorCount;
    info->threads = info->properties.warpSize * 2;
    return info;
}
void Holder::run(float *a) {
    fill<<<properties.multiProcessorCount, properties.warpSize * 4>>>(a, 3); // tried: fill<<<108, 128>>>(n=3)
}
int main() {
    Info *info = ask();
    fill<<<info->blocks, info->threads>>>(nullptr, 5); // tried: fill<<<108, 64>>>(n=5)
    Info here;
    cudaGetDeviceProperties(&here.properties, 0);
    fill<<<here.properties.multiProcessorCount, here.properties.warpSize>>>(nullptr, 4); // tried: fill<<<108, 32>>>(n=4)
    Holder holder;
    cudaGetDeviceProperties(&holder.properties, 0);
    holder.run(nullptr);
}
