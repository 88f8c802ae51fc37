// Options that a program declares by name have the default that it gives them.
#include <cmath>
enum Kind { OPT_INT, OPT_FLOAT };
struct Options {
    void addOption(const char *name, Kind kind, const char *value, const char *help);
    int getOptionInt(const char *name) const;
    float getOptionFloat(const char *name) const;
};
__global__ void plain(float *a, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[2 * i] += by;
}
void declare(Options &op) {
    op.addOption("points", OPT_INT, "4096", "how many");
    op.addOption("by", OPT_FLOAT, "0.25", "how much");
    op.addOption("more", OPT_INT, "0", "0: as many as there are");
}
void run(Options &op, float *a) {
    int n = op.getOptionInt("points");
    plain<<<n / 64, 64>>>(a, n, op.getOptionFloat("by")); // tried: plain<<<64, 64>>>(n=4096, by=0.25)
    int more = round(op.getOptionFloat("by") * 10);
    plain<<<16, 64>>>(a, op.getOptionInt("more"), more); // tried: plain<<<16, 64>>>(n=1024, by=3) | plain<<<16, 64>>>(n=3072, by=3)
}
