// A conditional among a kernel's template arguments chooses a number, and no other kernel.
template <int PER_THREAD>
__global__ void gather(int *values, int count) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
    for (int i = first; i < first + PER_THREAD && i < count; i++) values[i] += 1;
}
__global__ void whole(int *values, int count) { if (threadIdx.x < count) values[threadIdx.x] += 1; }
__global__ void halved(int *values, int count) { if (threadIdx.x < count) values[threadIdx.x] /= 2; }

template <int few, int many>
struct Collector {
    template <bool keysOnly>
    void collect(int *values, int count) {
        gather<keysOnly ? few : many><<<4, 64>>>(values, count); // tried: gather<true ? 4 : 8><<<4, 64>>>(count=1000) ; gather<false ? 4 : 8><<<4, 64>>>(count=2000)
    }
};

void everything(int *values, bool wanted, int side) {
    Collector<4, 8> collector;
    collector.collect<true>(values, 1000);
    collector.collect<false>(values, 2000);
    auto chosen = side < 4 ? whole : halved;
    chosen<<<1, 64>>>(values, 60); // tried: whole<<<1, 64>>>(count=60) ; halved<<<1, 64>>>(count=60)
}
