// Members of a local object that its methods set: what a call leaves in them is what is launched.
struct Shape {
    int rows, columns;
    void set(int r) { rows = r; columns = 2 * r; }
};
struct Params {
    int blocks, threads, n;
    void init(int m) {
        n = m;
        threads = 128;
        blocks = (n + threads - 1) / threads;
    }
    void outside(int m);
    void twice() { n *= 2; }
    void perhaps(bool wide) { if (wide) threads = 256; }
    void all(int m) { init(m); }
    void itself();
    void unseen(int m);
    int unseen_but_const() const;
};
void Params::outside(int m) {
    this->n = m;
    this->threads = 64;
    blocks = (this->n + threads - 1) / threads;
}
void read_all(Params *p);
void Params::itself() { read_all(this); }
struct Preset {
    int threads = 32;
    int n = 7;
    void set(int t) { threads = t; }
};
struct Derived : Preset {
    dim3 grid;
    void shape(float x, int y) {
        n = x;
        grid = dim3(n, y);
    }
};
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void other(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
void hand(Params &p) { p.init(400); }
void fixed(float *a, bool wide) {
    Params o;
    o.init(1000);
    plain<<<o.blocks, o.threads>>>(a, o.n);  // tried: plain<<<8, 128>>>(n=1000)
    o.outside(2000);
    plain<<<o.blocks, o.threads>>>(a, o.n);  // tried: plain<<<32, 64>>>(n=2000)
    o.n = 5;
    plain<<<o.blocks, o.threads>>>(a, o.n);  // tried: plain<<<32, 64>>>(n=5)
    Params listed = {1, 32, 5};
    listed.init(300);
    plain<<<listed.blocks, listed.threads>>>(a, listed.n);  // tried: plain<<<3, 128>>>(n=300)
    Params handed;
    hand(handed);
    plain<<<handed.blocks, handed.threads>>>(a, handed.n);  // tried: plain<<<4, 128>>>(n=400)
    Preset kept;
    kept.set(96);
    plain<<<kept.n, kept.threads>>>(a, kept.n);  // tried: plain<<<7, 96>>>(n=7)
    Preset *made = new Preset;
    made->set(192);
    plain<<<3, made->threads>>>(a, made->n);  // tried: plain<<<3, 192>>>(n=7)
    Derived derived;
    derived.shape(4.5f, 3);
    plain<<<derived.grid, 64>>>(a, derived.n);  // tried: plain<<<(4, 3), 64>>>(n=4)
}
// What a method does on a condition or out of sight leaves nothing that is known; what another does
// that it calls is what that leaves.
void open(float *a, bool wide) {
    Params twice = {1, 32, 5};
    twice.twice();
    other<<<twice.blocks, twice.threads>>>(a, twice.n);  // tried: other<<<1, 32>>>(n=1280) | other<<<1, 32>>>(n=96)
    Params perhaps = {2, 32, 5};
    perhaps.perhaps(wide);
    other<<<perhaps.blocks, 64>>>(a, perhaps.threads);  // tried: other<<<2, 64>>>(n=256) | other<<<2, 64>>>(n=128)
    Params all = {3, 32, 5};
    all.all(10);
    other<<<3, 64>>>(a, all.n);  // tried: other<<<3, 64>>>(n=10)
    Params itself = {4, 32, 5};
    itself.itself();
    other<<<4, 64>>>(a, itself.n);  // tried: other<<<4, 64>>>(n=1280) | other<<<4, 64>>>(n=96)
    Params unseen = {5, 32, 5};
    unseen.unseen(10);
    other<<<5, 64>>>(a, unseen.n);  // tried: other<<<5, 64>>>(n=1280) | other<<<5, 64>>>(n=96)
    Params constant = {6, 32, 5};
    constant.unseen_but_const();
    other<<<constant.blocks, 64>>>(a, constant.n);  // tried: other<<<6, 64>>>(n=5)
    Params turned = {7, 32, 5};
    for (int i = 1; i < 3; i++) turned.init(100 * i);
    other<<<7, 64>>>(a, turned.n);  // tried: other<<<7, 64>>>(n=1280) | other<<<7, 64>>>(n=96)
}
