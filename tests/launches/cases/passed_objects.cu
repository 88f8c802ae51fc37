// What a constructor asks the object that it is given is asked of that object, not of its parameter:
// two objects have sizes of their own, and one has the same size everywhere.
struct Spec {
    torch::Tensor values;
};

struct Packed {
    float *values;
    int edges, rows;
    Packed(Spec &spec) : values(spec.values.data_ptr<float>()), edges(spec.values.defined() ? spec.values.numel() : 0),
          rows(spec.values.size(0)) {}
};

__global__ void joins(Packed one, Packed other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < one.edges) one.values[i] = other.values[i % other.edges] * n * one.rows * other.rows;
}

void join(torch::Tensor a, torch::Tensor b) {
    Spec first, second;
    first.values = a;
    second.values = b;
    long n = first.values.numel();
    joins<<<(n + 127) / 128, 128>>>( // tried: joins<<<10, 128>>>(n=1280) | joins<<<1, 128>>>(n=96)
        // passed: one.edges=1280, one.rows=896, other.edges=1664, other.rows=768, n=1280
        Packed(first), Packed(second), n);
}
