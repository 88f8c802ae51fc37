// Options that cxxopts and Boost list with their defaults.
#include "cxxopts.hpp"
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }
int main(int argc, char **argv) {
    cxxopts::Options options("fill", "Fills an array");
    options.add_options()
        ("n,size", "How many", cxxopts::value<int>()->default_value("2048"))
        ("r,rows", "How many rows", cxxopts::value<int>())
        ("t,threads", "Of a block", cxxopts::value<int>()->default_value("64"))
        ("h,help", "This text");
    po::options_description more("More");
    more.add_options()
        ("wide,w", po::value<int>()->default_value(96), "how wide");
    auto result = options.parse(argc, argv);
    int n = result["size"].as<int>();
    int threads = result["threads"].as<int>();
    float *a = nullptr;
    fill<<<(n + threads - 1) / threads, threads>>>(a, n); // tried: fill<<<32, 64>>>(n=2048)
    fill<<<2, vm["wide"].as<int>()>>>(a, 3); // tried: fill<<<2, 96>>>(n=3)
    fill<<<3, 64>>>(a, result["rows"].as<int>()); // tried: fill<<<3, 64>>>(n=1280) | fill<<<3, 64>>>(n=96)
}
