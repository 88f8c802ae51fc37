// Types of the standard library's headers by their full names, members of a struct among them.
#include <cstddef>
#include <cstdint>
struct Node { float *in; std::size_t length; float slope; };
__global__ void plain(float *a, float slope, std::size_t n) { a[2 * threadIdx.x * n] = slope; }
void run(Node *node) {
    std::size_t length = node->length;
    std::size_t threads = 128;
    std::size_t blocks = (length + threads - 1) / threads;
    plain<<<blocks, threads>>>(node->in, node->slope, length);  // tried: plain<<<10, 128>>>(slope=1.5, n=1280) | plain<<<1, 128>>>(slope=1.5, n=96)
    ::std::uint32_t narrow = 64;
    plain<<<2, narrow>>>(node->in, 1.0f, narrow);  // tried: plain<<<2, 64>>>(slope=1.0, n=64)
}
