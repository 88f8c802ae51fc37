// What another name of a variable is worth: what the variable is where the name is used.
struct Config {
    int items = 4096, lanes = 128;
    float step = 0.5f;
};
__global__ void read(float *a, int n, float by) { if (threadIdx.x < n) a[2 * threadIdx.x] += by; }
void by_defaults(float *a) {
    Config config;
    auto &c = config;
    read<<<32, c.lanes>>>(a, c.items, c.step);  // tried: read<<<32, 128>>>(n=4096, by=0.5)
}
__global__ void set(float *a, int n, float by) { if (threadIdx.x < n) a[2 * threadIdx.x] += by; }
void set_later(float *a) {
    Config config;
    const auto &c = config;
    Config &changed = config;
    config.items = 6;
    set<<<32, c.lanes>>>(a, c.items, changed.step);  // tried: set<<<32, 128>>>(n=6, by=0.5)
}
__global__ void written(float *a, int n, float by) { if (threadIdx.x < n) a[2 * threadIdx.x] += by; }
void through(float *a) {
    Config config;
    Config &c = config;
    c.items = 5;
    written<<<32, 64>>>(a, config.items, 1);  // tried: written<<<32, 64>>>(n=2048, by=1) | written<<<32, 64>>>(n=6144, by=1)
    written<<<32, 64>>>(a, c.items, 2);       // tried: written<<<32, 64>>>(n=5, by=2)
}
__global__ void told(float *a, int n, float by) { if (threadIdx.x < n) a[2 * threadIdx.x] += by; }
void read_file(Config &config);
void from_file(float *a) {
    Config config;
    const auto &c = config;
    read_file(config);
    told<<<32, 64>>>(a, c.items, 3);  // tried: told<<<32, 64>>>(n=2048, by=3) | told<<<32, 64>>>(n=6144, by=3)
    auto &same = config;
    read_file(same);
    told<<<32, 64>>>(a, same.items, 4);  // tried: told<<<32, 64>>>(n=2048, by=4) | told<<<32, 64>>>(n=6144, by=4)
}
__global__ void held(float *a, int n, float by) { if (threadIdx.x < n) a[2 * threadIdx.x] += by; }
class Solver {
    Config config_;
  public:
    Solver(const Config &c) : config_(c) {}
    void run(float *a) {
        const auto &c = config_;
        held<<<32, c.lanes>>>(a, c.items, c.step);  // tried: held<<<32, 128>>>(n=1280, by=0.5) | held<<<32, 128>>>(n=96, by=0.5)
    }
};
__global__ void number(float *a, int n, int m) { if (threadIdx.x < n) a[2 * threadIdx.x] += m; }
void numbers(float *a) {
    int n = 40;
    const int &m = n;
    n = 50;
    number<<<32, 64>>>(a, n, m);  // tried: number<<<32, 64>>>(n=50, m=50)
}
__global__ void shared(float *a, int n) { if (threadIdx.x < n) a[2 * threadIdx.x] += n; }
int of_all = 70;
void globals(float *a) {
    auto &all = of_all;
    shared<<<32, 64>>>(a, all);  // tried: shared<<<32, 64>>>(n=70)
}
