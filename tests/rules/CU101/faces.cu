// Tiles that lie in one piece, an element for each thread of a block: of the neighbouring tile's, the
// lanes at a face take the elements that are beside them.
__global__ void smooth(float *out, const float *in, const int *list, int tiles)
{
    int x = threadIdx.x, at = (threadIdx.z * 4 + threadIdx.y) * 4 + x, tile = list[blockIdx.x];
    float sum = in[tile * 64 + at];
    if (x == 0)
        sum += in[(tile - 1) * 64 + at + 3];  // undecided: CU101 (the rule's own) "a face of a tile"
    if (x == 3)
        sum += in[(tile + 1) * 64 + at - 3];  // undecided: CU101 (the rule's own) "a face of a tile"
    out[tile * 64 + at] = sum;
}

// Rows of an image, of which the block takes four elements each, do not lie side by side.
__global__ void rows(float *out, const float *in, int w)
{
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.x != 1)
        out[y * w + x] = in[y * w + x];  // expect: CU101 "load from `in`"
}

void launch(float *out, const float *in, const int *list)
{
    smooth<<<2000, dim3(4, 4, 4)>>>(out, in, list, 2000);
    rows<<<dim3(256, 64), dim3(4, 16)>>>(out, in, 1024);
}
