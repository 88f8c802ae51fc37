// Options that are kept in a map from their names: what the map is made with, or set to.
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
__global__ void keyed(float *a, int n, int width, float sigma) { if (threadIdx.x < n) a[width] *= sigma; }
__global__ void counted_keys(float *a, long n) { if (threadIdx.x < n) a[threadIdx.x] += 1.0f; }
__global__ void unkeyed(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += 1.0f; }
int program(int argc, char **argv) {
    std::unordered_map<std::string, std::string> kv{{"width", "1920"}, {"sigma", "1.5"}};
    kv["rows"] = "108";
    for (int i = 1; i + 1 < argc; i += 2) kv[argv[i]] = argv[i + 1];
    const int width = std::stoi(kv["width"]), rows = atoi(kv.at("rows").c_str());
    float *a;
    cudaMalloc(&a, width * rows * sizeof(float));
    keyed<<<width * rows / 64, 64>>>(a, rows, width, std::stof(kv["sigma"]));  // tried: keyed<<<3240, 64>>>(n=108, width=1920, sigma=1.5)
    std::map<std::string, long> opt{{"--n", 7000}};
    for (int i = 1; i + 1 < argc; i += 2) opt[argv[i]] = atol(argv[i + 1]);
    counted_keys<<<opt["--n"] / 100, 32>>>(a, opt["--n"]);  // tried: counted_keys<<<70, 32>>>(n=7000)
    std::map<std::string, int> sizes;  // nobody says what is in it
    for (int i = 1; i + 1 < argc; i += 2) sizes[argv[i]] = atoi(argv[i + 1]);
    unkeyed<<<64, 32>>>(a, sizes["none"]);  // tried: unkeyed<<<64, 32>>>(n=2048) | unkeyed<<<64, 32>>>(n=6144)
}
