// Members through pointers: of an object of a caller, and of one that `new` makes.
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }
struct Made { int n, threads; Made(int count) : n(count), threads(128) {} };
struct Plain { int n = 8192; int threads = 32; };

void one(float *a, Made *p) {
    plain<<<p->n / p->threads, p->threads>>>(a, p->n);  // tried: plain<<<32, 128>>>(n=4096)
}
void other(float *a, Plain *p) {
    plain<<<p->n / p->threads, p->threads>>>(a, p->n);  // tried: plain<<<256, 32>>>(n=8192)
}

int main() {
    float *a;
    cudaMalloc(&a, 4096);
    Made made(4096);
    one(a, &made);
    Plain by_default;
    other(a, &by_default);
    Plain *fresh = new Plain();
    plain<<<fresh->n / fresh->threads, fresh->threads>>>(a, 1);  // tried: plain<<<256, 32>>>(n=1)
    Made *built = new Made(2048);
    plain<<<built->n / built->threads, built->threads>>>(a, 2);  // tried: plain<<<16, 128>>>(n=2)
    Plain *bare = new Plain;
    plain<<<1, bare->threads>>>(a, 3);  // tried: plain<<<1, 32>>>(n=3)
}
