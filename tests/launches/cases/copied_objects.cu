// A constructor's own launches are of an object that it makes itself; a copy was made by another.
__global__ void clear(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 0;
}
__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}

struct Layers {
    Layers(float *data, int depth) : data(data), depth(depth) {
        clear<<<this->depth * 2, 64>>>(data, this->depth * 128); // tried: clear<<<10, 64>>>(n=640)
    }
    Layers(float *data, int depth, const char *file) : data(data), depth(depth + 1) { load(file); }
    Layers(const Layers &original) { data = original.data; borrowed = true; }
    void load(const char *file);
    void step() { scale<<<this->depth, 128>>>(data, this->depth * 128); } // tried: scale<<<5, 128>>>(n=640) ; scale<<<21, 128>>>(n=2688)

    float *data = nullptr;
    int depth = 1;
    bool borrowed = false;
};

void simulate(float *a, float *b, const char *file) {
    Layers fresh(a, 5), stored(b, 20, file);
    Layers copy(fresh);
    fresh.step();
    stored.step();
}

struct Levels {
    int count = 0;
    Levels(const char *file) { count = read_count(file); }
    int read_count(const char *file);
};

struct Pyramid {
    Pyramid(const Levels &levels);
    Pyramid(const Levels &levels, const char *file);
    Pyramid(const Pyramid &original);
    float *data = nullptr;
    bool shared = false;
    int levels = 0;
};

Pyramid::Pyramid(const Levels &levels) : levels(levels.count) {
    const int cells = 64 * (this->levels + 1);
    clear<<<this->levels + 1, 64>>>(data, cells); // tried: clear<<<1281, 64>>>(n=81984) | clear<<<97, 64>>>(n=6208)
}
Pyramid::Pyramid(const Levels &levels, const char *file) : levels(levels.count) { data = nullptr; }
Pyramid::Pyramid(const Pyramid &original) {
    *this = original;
    shared = true;
}

void build(const char *file) {
    Levels levels(file);
    Pyramid pyramid(levels);
    Pyramid other(pyramid);
}
