// gflags: what a flag holds where the program is told nothing is its default.
#include <gflags/gflags.h>

DEFINE_uint64(size, 16 * 1024, "elements to move");
DEFINE_uint64(block_size, 32, "threads of a block");
DEFINE_int32(from, 4, "where to begin, \"first\"");

__global__ void moves(float *a, int n, int from) { if (threadIdx.x < n) a[threadIdx.x + from] = 1; }

inline void launch(float *a, const dim3 &grid, const dim3 &block) {
    moves<<<grid, block>>>(a, FLAGS_size, FLAGS_from); // tried: moves<<<512, 32>>>(n=16384, from=4)
}

int main(int argc, char **argv) {
    gflags::ParseCommandLineFlags(&argc, &argv, true);
    float *a;
    dim3 block_dim(FLAGS_block_size), grid_dim(FLAGS_size / FLAGS_block_size);
    launch(a, grid_dim, block_dim);
}
