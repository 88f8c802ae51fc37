// Between `start` and `end` lies what is launched. In the loop's first turn that is nothing, and no
// other start is invented for it: `end - start` would be more than four thousand million.
__global__ void part(float *a, unsigned start, unsigned end) { a[start + threadIdx.x] = end; }
void run(float *a, const bool *kinds, unsigned n) {
    unsigned start = 0, end = 0;
    for (unsigned i = 0; i <= n; i++) {
        if (i == n || kinds[i]) {
            end = i;
            if (start != end) {
                part<<<(end - start + 15) / 16, 32>>>(a, start, end);  // tried: part<<<1, 32>>>(start=0, end=1) ; part<<<1, 32>>>(start=0, end=5)
            }
            start = i;
        }
    }
}
