// Sizes out of maps: by a name, by a number, by an enumerator; and maps that are written to.
#include <map>
#include <string>
#include <unordered_map>
__global__ void plain(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void other(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void first(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
__global__ void second(float *a, int n) { a[2 * threadIdx.x * n] = 1; }
typedef void (*Kernel)(float *, int);
enum Mode { FAST, SLOW };
static const std::map<std::string, int> named = {{"x", 96}, {"y", 160}};
std::map<std::string, int> filled = {{"x", 96}, {"y", 160}};
std::map<std::string, int> kept = {{"x", 96}, {"y", 160}};
void fill() { filled["x"] = 128; }
void add(std::map<std::string, int> &m);
void fixed(float *a) {
    std::map<std::string, int> sizes = {{"a", 128}, {"b", 64}};
    plain<<<4, sizes["a"]>>>(a, sizes.at("b"));  // tried: plain<<<4, 128>>>(n=64)
    std::map<int, int> numbers{{1, 128}, {2, 64}};
    plain<<<5, numbers[2]>>>(a, numbers.at(1));  // tried: plain<<<5, 64>>>(n=128)
    std::unordered_map<Mode, int> modes = {{FAST, 128}, {SLOW, 64}};
    plain<<<6, modes[SLOW]>>>(a, 1);  // tried: plain<<<6, 64>>>(n=1)
    plain<<<7, named.at("y")>>>(a, 1);  // tried: plain<<<7, 160>>>(n=1)
    plain<<<8, kept["x"]>>>(a, 1);  // tried: plain<<<8, 96>>>(n=1)
}
void kernels(float *a) {
    std::map<std::string, void (*)(float *, int)> kernels = {{"first", first}, {"second", second}};
    kernels["second"]<<<4, 64>>>(a, 1);  // tried: second<<<4, 64>>>(n=1)
    const std::map<std::string, Kernel> named_kernels = {{"first", first}, {"second", second}};
    Kernel kernel = named_kernels.at("first");
    kernel<<<4, 64>>>(a, 2);  // tried: first<<<4, 64>>>(n=2)
    std::map<int, dim3> blocks = {{1, dim3(32, 2)}, {0, dim3(8, 8)}};
    first<<<4, blocks[1]>>>(a, 3);  // tried: first<<<4, (32, 2)>>>(n=3)
    first<<<4, blocks.at(0)>>>(a, 4);  // tried: first<<<4, (8, 8)>>>(n=4)
}
void chosen(float *a, std::string name) {
    other<<<4, named.at(name)>>>(a, 1);  // tried: other<<<4, 96>>>(n=1) ; other<<<4, 160>>>(n=1)
}
// What a map holds that something may have changed is not known.
void open(float *a) {
    std::map<std::string, int> changed = {{"a", 128}, {"b", 64}};
    changed["c"] = 32;
    other<<<5, 64>>>(a, changed["a"]);  // tried: other<<<5, 64>>>(n=1280) | other<<<5, 64>>>(n=96)
    std::map<std::string, int> grown = {{"a", 128}, {"b", 64}};
    grown.emplace("c", 32);
    other<<<6, 64>>>(a, grown["a"]);  // tried: other<<<6, 64>>>(n=1280) | other<<<6, 64>>>(n=96)
    std::map<std::string, int> given = {{"a", 128}, {"b", 64}};
    add(given);
    other<<<7, 64>>>(a, given["a"]);  // tried: other<<<7, 64>>>(n=1280) | other<<<7, 64>>>(n=96)
    other<<<8, 64>>>(a, filled["y"]);  // tried: other<<<8, 64>>>(n=1280) | other<<<8, 64>>>(n=96)
}
