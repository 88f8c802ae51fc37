// Values whose types are not in sight: what only a `float` parameter is given is a float, also if
// nothing says what type the member has. Limits of types are numbers.

__global__ void update(float *x, int n, float rate, float eps, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = rate * x[i] + eps + most;
}
template <class T> struct Solver : public Far<T> {
    void step(float *x, int n) {
        update<<<(n + 511) / 512, 512>>>(x, n, this->rate_, this->eps_, this->most_);  // tried: update<<<3, 512>>>(n=1280, rate=1.5, eps=1.75, most=1152) | update<<<1, 512>>>(n=96, rate=1.5, eps=1.75, most=160)
        update<<<this->rate_ / 64, 64>>>(x, n, this->rate_, 0, 1);  // tried: update<<<20, 64>>>(n=1152, rate=1280, eps=0, most=1) | update<<<1, 64>>>(n=160, rate=96, eps=0, most=1)
        update<<<1, 64>>>(x, 64, std::numeric_limits<float>::lowest(), 0, std::numeric_limits<int>::max());  // tried: update<<<1, 64>>>(n=64, rate=-3.4028235e+38, eps=0, most=2147483647)
    }
};
