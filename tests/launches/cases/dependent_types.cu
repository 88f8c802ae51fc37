// Types of class templates that nothing in sight instantiates: a kernel is compiled with types that
// are assumed, and with what else its launch says.

template <class C> class Solver {
  public:
    typedef typename C::Index IndexType;
    typedef typename C::Value Value;
    static const int kind = C::kind;
    typedef Pair<kind, Value> Both;
    void run(Matrix<C> &A);
    void coloured(Matrix<C> &A, int hash);
    void own(Matrix<C> &A);
};

template <class IndexType, class T, int W>
__global__ void smooth(const IndexType *rows, T *x, int n, int first) {
    IndexType i = first + (blockIdx.x * blockDim.x + threadIdx.x) / W;
    if (i < n) x[rows[i] & 1023] = 1;
}

template <class I, int H> __global__ void colour(const I *rows, I *colours, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) colours[i] = (rows[i] << H) & 31;
}

template <class T> __global__ void fill(T *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1;
}

template <class C> void Solver<C>::run(Matrix<C> &A) {
    const IndexType *rows = A.rows.raw();
    const Value *x = A.x.raw();
    IndexType num_rows = A.rows();
    IndexType offset = 0;
    A.view(&offset, &num_rows);
    const int threads = 512;
    const int blocks = std::min(4096, (int)(num_rows - 1) / (threads / 4) + 1);
    smooth<IndexType, Value, threads / 4><<<blocks, threads>>>(rows, x, offset + num_rows, offset);  // tried: smooth<int, float, 128><<<10, 512>>>(n=2432, first=1152) | smooth<int, float, 128><<<1, 512>>>(n=256, first=160)
}

// Two launches whose numbers differ: an instance for each, though the first type tried is none.
template <class C> void Solver<C>::coloured(Matrix<C> &A, int hash) {
    const IndexType *rows = A.rows.raw();
    IndexType *colours = this->colours.raw();
    int n = A.rows();
    if (hash == 1) {
        colour<IndexType, 1><<<(n + 255) / 256, 256>>>(rows, colours, n);  // tried: colour<int, 1><<<5, 256>>>(n=1280) | colour<int, 1><<<1, 256>>>(n=96)
    } else {
        colour<IndexType, 2><<<(n + 127) / 128, 128>>>(rows, colours, n);  // tried: colour<int, 2><<<10, 128>>>(n=1280) | colour<int, 2><<<1, 128>>>(n=96)
    }
}

// A name that only the class has says nothing to a compiler outside of it.
template <class C> void Solver<C>::own(Matrix<C> &A) {
    fill<Both><<<A.rows() / 64, 64>>>(A.pairs(), A.rows());  // tried: fill<float><<<20, 64>>>(n=1280) | fill<float><<<1, 64>>>(n=96)
}

// Nor does one of a header that is not there.
template <class Policy, int W> __global__ void scale(float *x, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * W;
    if (i < n) x[i] *= 2;
}
void scaled(float *x, int n) {
    scale<far::Fast<4>, 2><<<(n + 191) / 192, 192>>>(x, n);  // tried: scale<float, 2><<<7, 192>>>(n=1280) | scale<float, 2><<<1, 192>>>(n=96)
}
