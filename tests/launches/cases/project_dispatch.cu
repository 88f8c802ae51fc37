// A project's own dispatch macro, of a header that is not in sight: its name says what it does.
template <typename T> __global__ void adds(T *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1; }

template <typename T> void launch(T *a, int n) {
    adds<<<n / 64, 64>>>(a, n); // tried: adds<float><<<10, 64>>>(n=640)
}

void run(Tensor t) {
    MY_DISPATCH_FLOATING_TYPES(t.type(), "adds", [&] { launch<scalar_t>(t.data_ptr<scalar_t>(), 640); });
}
