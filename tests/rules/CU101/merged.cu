// Each thread merges two runs of its own: turns that the compiler writes out are no parts of an element.
__device__ void merge(const int *from, int *to, long start, long middle, long end)
{
    long i = start, j = middle;
    for (long k = start; k < end; k++) {
        if (i < middle && (j >= end || from[i] < from[j])) {  // expect: CU101 "walks along a row"  // undecided: CU301 (invented data decides)
            to[k] = from[i];  // also: CU101
            i++;
        } else {
            to[k] = from[j];  // undecided: CU101 (loaded address)  // also: CU101
            j++;
        }
    }
}

__global__ void sort(const int *from, int *to, long size, long width, long slices)
{
    long index = blockIdx.x * blockDim.x + threadIdx.x;
    long start = width * index * slices;
    for (long slice = 0; slice < slices; slice++) {
        if (start >= size) break;
        merge(from, to, start, min(start + (width >> 1), size), min(start + width, size));
        start += width;
    }
}

void launch(int *a, int *b)
{
    long n = 1 << 20;
    for (long width = 2; width < (n << 1); width <<= 1) {
        long slices = n / (64 * 256 * width) + 1;
        sort<<<64, 256>>>(a, b, n, width, slices);
        int *t = a; a = b; b = t;
    }
}
