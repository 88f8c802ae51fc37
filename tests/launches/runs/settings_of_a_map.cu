// A configuration that a map of settings may change, and nobody knows whether it does: the file is
// not there. That one branch was taken leaves its fields as open as before.
#include <fstream>
#include <map>
#include <sstream>
#include <string>
struct Config {
    int particles = 10000, turns = 50, block = 128;
    float aperture = 0.03f;
};
__global__ void k(float *a, int n, int turn, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > limit) a[i] = turn;
}
static std::map<std::string, std::string> read_settings(const char *file) {
    std::map<std::string, std::string> kv;
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        size_t eq = line.find('=');
        kv[line.substr(0, eq)] = line.substr(eq + 1);
    }
    return kv;
}
template <typename T>
static void take(const std::map<std::string, std::string> &kv, const char *key, T &to) {
    auto it = kv.find(key);
    if (it == kv.end()) return;
    std::istringstream(it->second) >> to;
}
static Config load(const char *file) {
    Config c;
    auto kv = read_settings(file);
    take(kv, "particles", c.particles);
    take(kv, "turns", c.turns);
    take(kv, "block", c.block);
    take(kv, "aperture", c.aperture);
    return c;
}
void turn_once(float *a, int turn, const Config &cfg) {
    int grid = (cfg.particles + cfg.block - 1) / cfg.block;
    k<<<grid, cfg.block>>>(a, cfg.particles, turn, cfg.aperture * cfg.aperture);  // open: n limit
}
int main(int argc, char **argv) {
    Config cfg = load(argc > 1 ? argv[1] : "ring.cfg");
    float *a;
    cudaMalloc(&a, cfg.particles * sizeof(float));
    for (int t = 0; t < cfg.turns; ++t)
        turn_once(a, t, cfg);
}
