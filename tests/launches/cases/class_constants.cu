// Constants of classes as sizes: of templates, of specialisations, of classes that aliases name.
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void other(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
template <class Key, class Value> struct Table {
    static constexpr int bucket = 16;
    static const int block = 4 * bucket;
    enum { kWarps = 4, kThreads = 32 * kWarps };
    void own(float *a) { plain<<<1, Table<Key, Value>::kThreads>>>(a, 1); }  // tried: plain<<<1, 128>>>(n=1)
};
template <class Key, class Value> struct Sized {
    static constexpr int threads = 192;
    Value *values;
    void own(float *a) { plain<<<7, Sized<Key, Value>::threads>>>(a, 1); }  // tried: plain<<<7, 192>>>(n=1)
};
template <class T> struct Traits { static constexpr int kThreads = 128; };
template <> struct Traits<double> { static constexpr int kThreads = 64; };
template <int N> struct Rows { static constexpr int kThreads = N * 32; };
template <int N> struct Policy {
    using Tile = Rows<N + 1>;
    typedef Rows<2> Half;
};
struct Fixed { using Tile = Rows<5>; };
struct Tile { static constexpr int kThreads = 1024; };
template <bool Wide> struct Picked { using Tile = typename Unseen<Wide>::type; };
struct Hidden { using Tile = typename Unseen<true>::type; };
void fixed(float *a) {
    Table<int, double> table;
    table.own(a);
    Sized<int, double> sized;
    sized.own(a);
    plain<<<2, Table<int, float>::bucket>>>(a, Table<int, float>::block);  // tried: plain<<<2, 16>>>(n=64)
    plain<<<3, Traits<float>::kThreads>>>(a, Traits<double>::kThreads);  // tried: plain<<<3, 128>>>(n=64)
    plain<<<4, Policy<3>::Tile::kThreads>>>(a, Policy<3>::Half::kThreads);  // tried: plain<<<4, 128>>>(n=64)
    plain<<<5, Fixed::Tile::kThreads>>>(a, Tile::kThreads);  // tried: plain<<<5, 160>>>(n=1024)
    using Seven = Policy<6>;
    using Threads = typename Seven::Tile;
    plain<<<6, Seven::Tile::kThreads>>>(a, Threads::kThreads);  // tried: plain<<<6, 224>>>(n=224)
}
// The class that an alias means is not in sight: one of its last name is another.
void open(float *a) {
    other<<<7, 64>>>(a, Picked<true>::Tile::kThreads);  // tried: other<<<7, 64>>>(n=1280) | other<<<7, 64>>>(n=96)
    other<<<8, 64>>>(a, Hidden::Tile::kThreads);  // tried: other<<<8, 64>>>(n=1280) | other<<<8, 64>>>(n=96)
}
