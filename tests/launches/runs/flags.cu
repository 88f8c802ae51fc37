// run: ./app --columns=96 -notidy --depth 7
// What the program is told of gflags' variables, and functions that a template is handed.
#include <string>
#include <utility>
#include <cuda_runtime.h>
#include <gflags/gflags.h>

#define STEP(name) void name(float *a, int rows, int columns, int depth, bool tidy)
STEP(blur);
STEP(sharpen);

DEFINE_int32(rows, 64 * 4, "rows of the image");
DEFINE_int32(columns, 128, "columns of the image");
DEFINE_uint32(depth, 3, "how often");
DEFINE_bool(tidy, true, "whether to tidy up");

__global__ void blurred(float *a, int rows, int columns, int depth, bool tidy) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) a[i * columns] *= tidy ? depth : 2;
}
class Timer {
  public:
    Timer(int rows, int columns) : rows_(rows), columns_(columns) { cudaMalloc(&a_, 1 << 20); }
    template <typename Step> void time(Step &&step, const std::string &name) {
        step(a_, rows_, columns_, FLAGS_depth, FLAGS_tidy);
        again(std::forward<Step>(step));
    }

  private:
    template <typename Step> void again(Step &&step) {
        for (int i = 0; i < 3; i++) step(a_, rows_, columns_, FLAGS_depth, FLAGS_tidy);
    }
    int rows_, columns_;
    float *a_;
};
int main(int argc, char **argv) {
    gflags::ParseCommandLineFlags(&argc, &argv, true);
    Timer timer(FLAGS_rows, FLAGS_columns);
    timer.time(blur, "blur");
}
void blur(float *a, int rows, int columns, int depth, bool tidy) {
    blurred<<<rows / 64, 64>>>(a, rows, columns, depth, tidy);  // told: rows=256 columns=96 depth=7 tidy=0
}
void sharpen(float *a, int rows, int columns, int depth, bool tidy) {
    blurred<<<rows / 64, 32>>>(a, rows, columns, depth, tidy);  // open: rows columns
}
