// One value is one root, by whatever name it is reached: elements, members, references.
#include <vector>

struct Level { int w, h; };
struct Sizes { int n[3]; };
struct Outer { Level size; };

__global__ void of_list(float *a, int rows, int cols) { a[threadIdx.x * rows + cols] = 1; }
__global__ void of_member(float *a, int rows, int cols) { a[threadIdx.x * rows - cols] = 1; }
__global__ void of_reference(float *a, int rows, int cols) { a[threadIdx.x + rows * cols] = 1; }

void stored(float *a, int r, int c) {
    int dims[2];
    dims[0] = r;
    dims[1] = c;
    of_list<<<r * c / 64, 64>>>(a, dims[0], dims[1]);  // tried: of_list<<<23040, 64>>>(rows=1280, cols=1152) | of_list<<<240, 64>>>(rows=96, cols=160)
}

void in_a_vector(float *a, int r, int c) {
    std::vector<int> dims{c};
    dims.push_back(r);
    of_list<<<r * c / 96, 96>>>(a, dims[1], dims[0]);  // tried: of_list<<<15360, 96>>>(rows=1280, cols=1152) | of_list<<<160, 96>>>(rows=96, cols=160)
}

void of_a_member(float *a, Sizes s) {
    int r = s.n[0];
    of_member<<<r * s.n[1] / 64, 64>>>(a, s.n[0], s.n[1]);  // tried: of_member<<<23040, 64>>>(rows=1280, cols=1152) | of_member<<<240, 64>>>(rows=96, cols=160)
}

void by_an_index(float *a, const int *sizes, int level) {
    int w = sizes[level], h = sizes[level + 1];
    of_member<<<w * h / 96, 96>>>(a, sizes[level], sizes[level + 1]);  // tried: of_member<<<16896, 96>>>(rows=1152, cols=1408) | of_member<<<373, 96>>>(rows=160, cols=224)
}

void by_reference(float *a, Level *levels, int n) {
    Level &level = levels[n];
    of_reference<<<levels[n].w * levels[n].h / 64, 64>>>(a, level.w, level.h);  // tried: of_reference<<<25344, 64>>>(rows=1152, cols=1408) | of_reference<<<560, 64>>>(rows=160, cols=224)
}

void by_pointer(float *a, Level *levels, int n) {
    Level *level = &levels[n];
    of_reference<<<levels[n].w * level->h / 96, 96>>>(a, level->w, levels[n].h);  // tried: of_reference<<<16896, 96>>>(rows=1152, cols=1408) | of_reference<<<373, 96>>>(rows=160, cols=224)
}

void a_copy(float *a, const Outer &outer) {
    Level level = outer.size;
    of_reference<<<outer.size.w * outer.size.h / 128, 128>>>(a, level.w, level.h);  // tried: of_reference<<<11520, 128>>>(rows=1280, cols=1152) | of_reference<<<120, 128>>>(rows=96, cols=160)
}
