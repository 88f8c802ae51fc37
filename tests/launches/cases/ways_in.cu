// What two callers do is excluded for each by other choices: neither excludes the other's.
#include <map>
#include <string>
struct NearWay { static const int width = 3; };
struct FarWay { static const int width = 5; };
template <class P> __global__ void told_ways(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] += P::width; }
enum class Way { Near, Far };
struct Told { int n = 500; Way way = Way::Near; };
template <class P> static void tell(P, const Told &t) {
    told_ways<P><<<8, 64>>>(nullptr, t.n);  // tried: told_ways<NearWay><<<8, 64>>>(n=500) ; told_ways<FarWay><<<8, 64>>>(n=500)
}
static void choose_way(const Told &t) {
    if (t.way == Way::Far) tell(FarWay{}, t);
    else tell(NearWay{}, t);
}
int program(int argc, char **argv) {
    Told t;
    std::map<std::string, std::string> kv;
    fill(kv, argc, argv);
    if (kv["way"] == "far") t.way = Way::Far;
    choose_way(t);
}
