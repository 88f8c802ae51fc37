// What a pointer leads to is not what it is: a structure's pointer is no part of what is copied.
#include <vector>
struct View { const int *index; int n; };
__constant__ View listed, assigned;
__constant__ const int *both[2], *one, *several[2];
__global__ void k(int *out) { out[threadIdx.x] = listed.n; }
int main()
{
    int a[4] = {1, 2, 3, 4}, *out;
    View first = {a, 5}, second;
    cudaMemcpyToSymbol(listed, &first, sizeof first); // holds: listed 8=5 12=0
    second.index = a;
    second.n = 6;
    cudaMemcpyToSymbol(assigned, &second, sizeof second); // holds: assigned 8=6 12=0
    const int *rows[2] = {a, a};
    cudaMemcpyToSymbol(both, rows, sizeof rows); // holds: both ?
    const int *p = a;
    cudaMemcpyToSymbol(one, &p, sizeof p); // holds: one ?
    std::vector<const int *> given(2);
    given[0] = a;
    cudaMemcpyToSymbol(several, given.data(), 2 * sizeof p); // holds: several ?
    cudaMalloc(&out, 128);
    k<<<1, 32>>>(out);
}
