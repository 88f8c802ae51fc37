// Each specialization, and each namespace, has constants of its own, which have the same names.
enum class Kind { Map, Set };
template <typename T, Kind K> class Table;
template <typename T> class Table<T, Kind::Map> {
    static constexpr unsigned BLOCK_ = 128;
public:
    void fill(T *data);
};
template <typename T> class Table<T, Kind::Set> {
    static constexpr unsigned BLOCK_ = 64;
public:
    void fill(T *data) {
        set_k<<<(1000 + BLOCK_ - 1) / BLOCK_, BLOCK_>>>(data, 1000);  // tried: set_k<<<16, 64>>>(n=1000)
    }
};
__global__ void map_k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
__global__ void set_k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
__global__ void path_k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
template <typename T> void Table<T, Kind::Map>::fill(T *data) {
    map_k<<<(1000 + BLOCK_ - 1) / BLOCK_, BLOCK_>>>(data, 1000);  // tried: map_k<<<8, 128>>>(n=1000)
}
static constexpr unsigned WARP = 32;
namespace vertical {
static constexpr unsigned BLOCK = WARP * 8;
void run(float *a) {
    path_k<<<4, BLOCK>>>(a, 1024);  // tried: path_k<<<4, 256>>>(n=1024)
}
}  // namespace vertical
namespace horizontal {
static constexpr unsigned BLOCK = WARP * 4;
void run(float *a) {
    path_k<<<8, BLOCK>>>(a, 1024);  // tried: path_k<<<8, 128>>>(n=1024)
}
}  // namespace horizontal
int main() {
    float *a;
    cudaMalloc(&a, 4096);
    Table<float, Kind::Map> map;
    Table<float, Kind::Set> set;
    map.fill(a);
    set.fill(a);
    vertical::run(a);
    horizontal::run(a);
}
