// What the GPU is asked for may be written to a struct's members.
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
struct Asked { int processors_asked, blocks_asked, width_asked, other_asked; };
void run(float *a) {
    Asked c;
    cudaDeviceGetAttribute(&c.processors_asked, cudaDevAttrMultiProcessorCount, 0);
    fill<<<c.processors_asked, 32>>>(a, 1); // tried: fill<<<108, 32>>>(n=1)
    cudaOccupancyMaxPotentialBlockSize(&c.blocks_asked, &c.width_asked, fill, 0, 0);
    fill<<<c.blocks_asked, c.width_asked>>>(a, 3); // tried: fill<<<216, 1024>>>(n=3)
    cudaDeviceGetAttribute(&c.other_asked, cudaDevAttrMultiProcessorCount, 0);
    c.other_asked = 5;
    fill<<<c.other_asked, 32>>>(a, 4); // tried: fill<<<5, 32>>>(n=4)
}
