// Members of an array of structures that a loop over its elements sets.
#include <vector>
struct Plan { int count, first; float *data; };
__global__ void scale(float *a, int n, int first) { a[first + threadIdx.x] *= n; }
__global__ void shift(float *a, int n) { a[threadIdx.x] += n; }
void planned() {
    const int all = 1000, parts = 4;
    Plan plan[8];
    for (int i = 0; i < parts; i++) {
        plan[i].count = all / parts;
        plan[i].first = 250 * i;
        cudaMalloc(&plan[i].data, plan[i].count * sizeof(float));
    }
    for (int i = 0; i < parts; i++) // its first, a middle and its last turn
        scale<<<plan[i].count / 10, 32>>>(plan[i].data, plan[i].count, plan[i].first); // tried: scale<<<25, 32>>>(n=250, first=0) ; scale<<<25, 32>>>(n=250, first=500) ; scale<<<25, 32>>>(n=250, first=750)
}
void listed(float *a, int n) {
    std::vector<Plan> plans(2);
    for (int k = 0; k < 2; ++k) plans[k].count = n * (k + 1);
    shift<<<plans[1].count / 64, 64>>>(a, plans[1].count); // tried: shift<<<40, 64>>>(n=2560) | shift<<<3, 64>>>(n=192)
}
void changed(float *a, int n) {
    Plan plan[2];
    for (int k = 0; k < 2; ++k) plan[k].count = 500;
    plan[n].count = 7;
    shift<<<1, 96>>>(a, plan[0].count); // tried: shift<<<1, 96>>>(n=1280) | shift<<<1, 96>>>(n=96)
}
