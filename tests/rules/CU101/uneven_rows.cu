// Each thread walks along its own row of `source`. Where a row starts is the thread's index times a size; how long it is
// is loaded, and so is where the turns begin that unrolling leaves over: they have the same fault, and the same mend.
__global__ void pack(const unsigned *source, const unsigned *lengths, unsigned *ends, unsigned pitch) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, length = lengths[t];
    unsigned last = source[t * pitch];  // expect: CU101 "transposed"
    for (unsigned k = 1; k < length / 32; k++) {
        last = last * 31 ^ source[t * pitch + k];  // also: CU101
    }
    ends[t] = last;
}

__global__ void sum(const unsigned *source, const unsigned *lengths, unsigned *sums, unsigned pitch) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, length = lengths[t], all = 0;
    for (unsigned k = 0; k < length; k++)
        all += source[t * pitch + k];  // expect: CU101 "walks along a row of `source` alone"
    sums[t] = all;
}

// Here the start is loaded, too.
__global__ void rows(const unsigned *source, const unsigned *starts, unsigned *sums) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, all = 0;
    for (unsigned k = starts[t]; k < starts[t + 1]; k++)
        all += source[k];  // expect: CU101 "own run of `source`, whose start is loaded data"
    sums[t] = all;
}

int main() {
    const int count = 4096, pitch = 256;
    unsigned *source, *lengths, *results;
    cudaMalloc(&source, count * pitch * sizeof(unsigned));
    cudaMalloc(&lengths, (count + 1) * sizeof(unsigned));
    cudaMalloc(&results, count * sizeof(unsigned));
    pack<<<count / 256, 256>>>(source, lengths, results, pitch);
    sum<<<count / 256, 256>>>(source, lengths, results, pitch);
    rows<<<count / 256, 256>>>(source, lengths, results);
}
