// A checksum, each step of which looks its value up by all before: the text of such an address would
// double with each step. Rows of a size that is divided by a power of two are told as the source does.
__global__ void checksum(const uint4 *data, const unsigned *steps, unsigned *out, int length, int count)
{
    __shared__ unsigned table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) table[i] = steps[i];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    unsigned sum = ~0u;
    for (int k = 0; k < length / 16; ++k) {
        uint4 v = data[(size_t)row * (length / 16) + k];  // expect: CU101 "32 sectors" "`16*(length / 16)` bytes apart"
        unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int j = 0; j < 16; ++j)
            sum = (sum >> 8) ^ table[(sum ^ (word[j / 4] >> (8 * (j & 3)))) & 0xff];  // undecided: CU201 (loaded address) "3.2 wavefronts"
    }
    out[row] = ~sum;
}

void launch(uint4 *data, unsigned *steps, unsigned *out) { checksum<<<512, 128>>>(data, steps, out, 1024, 65536); }
