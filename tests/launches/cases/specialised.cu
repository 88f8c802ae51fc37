// A member of a base class that the constructors of specialisations set: what it starts with is no
// reason to think that a launch is never made.

template <int M> struct Config { typedef float Value; };
template <class T> class Base {
  protected:
    int fast = 0;
    int slow = 0;
};
template <class T> class Select;
template <int V> class Select<Config<V> > : public Base<Config<V> > {
  public:
    Select(Options &options) { this->fast = options.get("fast"); }
    void run(float *p, int n);
};

__global__ void quick(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i * 2] = 1;
}
__global__ void never(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i * 3] = 1;
}

template <int V> void Select<Config<V> >::run(float *p, int n) {
    if (this->fast) quick<<<n / 128 + 1, 128>>>(p, n);  // tried: quick<<<11, 128>>>(n=1280) | quick<<<1, 128>>>(n=96)
    if (this->slow) never<<<n / 64 + 1, 64>>>(p, n);  // tried: never<<<21, 64>>>(n=1280) | never<<<2, 64>>>(n=96)
}
