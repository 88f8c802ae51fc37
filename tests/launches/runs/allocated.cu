// C's allocation makes structures, whose members are known once they are set, and not before.
#include <cstdlib>
#include <cstring>
typedef struct { unsigned long long n; int kind; int sizes[2]; } Info;
struct Wide { int rows, open; int tail[]; };
__global__ void k(int *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] += m;
}
Info *made(Info *like) {
    Info *other = (Info *)malloc(sizeof(*other));
    other->n = like->n / 2;
    return other;
}
int main() {
    int *a;
    cudaMalloc(&a, 1 << 20);
    Info *first = (Info *)malloc(sizeof(Info));
    first->n = 10000;
    first->sizes[1] = 12;
    Info *second = made(first);
    Wide *wide = static_cast<Wide *>(malloc(sizeof(Wide) + 4 * sizeof(int)));
    wide->rows = 7;
    Info *one = (Info *)calloc(1, sizeof(Info));
    one->n = 9;
    int *few = (int *)malloc(4 * sizeof(int));
    few[3] = 77;
    void *raw = malloc(sizeof(Info));
    k<<<1, 32>>>(a, first->n, first->sizes[1]);  // told: n=10000 m=12
    k<<<2, 32>>>(a, second->n, second->kind);  // told: n=5000; open: m
    k<<<3, 32>>>(a, wide->rows, wide->open);  // told: n=7; open: m
    k<<<4, 32>>>(a, one->n, one->kind);  // told: n=9; open: m
    k<<<5, 32>>>(a, few[3], few[2]);  // told: n=77; open: m
    k<<<6, 32>>>(a, ((Info *)raw)->n, 1);  // told: m=1; open: n
}
