// Constants of classes and of their templates' instances, as launches use them.
template <int Threads, int Width, typename Input> struct Base {
    using input_t = Input;
    static constexpr int kThreads = Threads;
    static constexpr int kBytes = sizeof(input_t);
    static constexpr int kElements = kBytes == 4 ? 4 : 8;
    enum { kRows = Threads / Width };
};
template <int Threads, typename T, typename B = Base<Threads, 4, T>> struct Traits : public B {
    static constexpr int kShared = B::kThreads * B::kElements * int(sizeof(T));
    static constexpr int kAll = 2 * B::kRows;
};
struct Plain {
    static constexpr int kThreads = 96;
};
template <int N> struct Special {
    static constexpr int kThreads = N;
};
template <> struct Special<64> {
    static constexpr int kThreads = 256;
};
template <int N> struct Endless {
    static constexpr int kThreads = Endless<N + 1>::kThreads;
    static constexpr int kItself = kItself + 1;
};
template <int N> struct Counted {
    static int kThreads;  // who knows
};

template <typename T> __global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }

template <int N, typename T> void launch(float *a)
{
    using Config = Traits<N, T>;
    auto kernel = &scale<T>;
    kernel<<<Config::kAll, Config::kThreads, Config::kShared>>>(a, Config::kElements);  // launch: scale<float> grid=(32,1,1) block=(64,1,1) shared=1024 n=4 | scale<double> grid=(64,1,1) block=(128,1,1) shared=8192 n=8
}

template <typename Config> void through(float *a)
{
    scale<float><<<1, Config::kThreads>>>(a, 1);  // launch: scale<float> grid=(1,1,1) block=(512,1,1) | scale<float> grid=(1,1,1) block=(96,1,1)
}

void run(float *a)
{
    launch<64, float>(a);
    launch<128, double>(a);
    through<Traits<512, int>>(a);
    through<Plain>(a);
    using Unclear = Special<64>;
    scale<int><<<1, Unclear::kThreads>>>(a, 1);  // launch: scale<int> grid=(1,1,1) block=(256,1,1)
    using Turning = Endless<1>;
    scale<int><<<Turning::kItself, Turning::kThreads>>>(a, 1);  // launch: scale<int> grid=? block=?
    using Variable = Counted<32>;
    scale<int><<<1, Variable::kThreads>>>(a, 1);  // launch: scale<int> grid=(1,1,1) block=?
    using Absent = Nowhere<32>;
    scale<int><<<1, Absent::kThreads>>>(a, 1);  // launch: scale<int> grid=(1,1,1) block=?
    using Lacking = Base<32, 4, int>;
    scale<int><<<1, Lacking::kWarps>>>(a, 1);  // launch: scale<int> grid=(1,1,1) block=?
}

// An alias that is called as the template which it names.
template <int Rows, int Columns> struct Tile {
    enum { kThreads = Rows * Columns };
};
template <int Rows> void tiled(float *a)
{
    using Tile = Tile<Rows, 32>;
    scale<int><<<1, Tile::kThreads>>>(a, 1);  // launch: scale<int> grid=(1,1,1) block=(96,1,1)
}
void run_tiled(float *a) { tiled<3>(a); }
