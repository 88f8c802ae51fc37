// Private bins of each thread, as many as shared memory has no room for.
__global__ void histogram(unsigned *bins, const unsigned char *pixels)
{
    unsigned own[256];  // also: CU107
    for (int k = 0; k < 256; k++)
        own[k] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 64; k++)
        own[pixels[i + k * 32768]]++;  // expect: CU107 "keep one `own` for all threads of a block" "atomics"  // undecided: CU103 (the rule's own) "no byte less"
    for (int k = 0; k < 256; k++)
        atomicAdd(&bins[k], own[k]);  // undecided: CU108 (the rule's own) "`__reduce_add_sync`"
}

void launch(unsigned *bins, const unsigned char *pixels) { histogram<<<128, 256>>>(bins, pixels); }
