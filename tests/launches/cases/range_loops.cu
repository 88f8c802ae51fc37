// Blocks that a range-based loop takes from what is listed: the first, a middle and the last turn.
#include <initializer_list>
#include <vector>
__global__ void plain(float *a, int n) { a[threadIdx.x] = n; }
__global__ void shaped(float *a, int n) { a[threadIdx.x] = n; }
__global__ void changed(float *a, int n) { a[threadIdx.x] = n; }
__global__ void stepped(float *a, int n) { a[threadIdx.x] = n; }
struct Shape { int blocks, threads; };
static const int widths[] = {32, 48, 64, 80};
void numbers(float *a) {
    for (int threads : {64, 128})
        plain<<<4, threads>>>(a, 1); // tried: plain<<<4, 64>>>(n=1) ; plain<<<4, 128>>>(n=1)
    const int sizes[] = {32, 96};
    for (const auto &s : sizes) {
        int blocks = (1000 + s - 1) / s;
        plain<<<blocks, s>>>(a, 2); // tried: plain<<<32, 32>>>(n=2) ; plain<<<11, 96>>>(n=2)
    }
    for (auto w : widths)
        plain<<<w, w>>>(a, 3); // tried: plain<<<32, 32>>>(n=3) ; plain<<<64, 64>>>(n=3) ; plain<<<80, 80>>>(n=3)
    for (auto b : std::initializer_list<int>{160})
        plain<<<4, b>>>(a, 4); // tried: plain<<<4, 160>>>(n=4)
}
void shapes(float *a) {
    Shape all[] = {{4, 32}, {8, 64}};
    for (auto &s : all)
        shaped<<<s.blocks, s.threads>>>(a, 1); // tried: shaped<<<4, 32>>>(n=1) ; shaped<<<8, 64>>>(n=1)
    std::vector<Shape> listed = {{5, 32}};
    for (const Shape &s : listed)
        shaped<<<s.blocks, s.threads>>>(a, 2); // tried: shaped<<<5, 32>>>(n=2)
    std::vector<dim3> blocks;
    blocks.push_back(dim3(16, 16));
    blocks.push_back(dim3(32, 8));
    for (auto b : blocks)
        shaped<<<4, b>>>(a, 3); // tried: shaped<<<4, (16, 16)>>>(n=3) ; shaped<<<4, (32, 8)>>>(n=3)
}
void fill(std::vector<int> &sizes);
void unknown(float *a, int m, const std::vector<int> &given) {
    Shape all[] = {{4, 32}, {8, 64}};
    for (auto &s : all) s.threads *= m;
    for (auto &s : all) stepped<<<1, s.threads>>>(a, 1); // tried: stepped<<<1, 32>>>(n=1) ; stepped<<<1, 64>>>(n=1)
    int sizes[] = {32, 96};
    for (int s : sizes) {
        s *= 2;
        stepped<<<1, s>>>(a, 2); // tried: stepped<<<1, 64>>>(n=2) ; stepped<<<1, 192>>>(n=2)
    }
    std::vector<int> filled = {32};
    fill(filled);
    for (int s : filled) changed<<<1, s>>>(a, 3); // tried: changed<<<1, 256>>>(n=3)
    std::vector<int> looped;
    for (int t = 32; t <= m; t *= 2) looped.push_back(t);
    for (int s : looped) changed<<<1, s>>>(a, 4); // tried: changed<<<1, 256>>>(n=4)
    for (int s : given) changed<<<1, s>>>(a, 5); // tried: changed<<<1, 256>>>(n=5)
    std::vector<int> counted(3, 32);
    counted[1] = m;
    for (int s : counted) stepped<<<1, s>>>(a, 6); // tried: stepped<<<1, 32>>>(n=6) ; stepped<<<1, 1>>>(n=6)
}
int main(int argc, char **argv) {
    numbers(nullptr);
    shapes(nullptr);
    unknown(nullptr, argc, {});
}
