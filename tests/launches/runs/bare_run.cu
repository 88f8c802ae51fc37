// No file says how it is run: its own defaults. MPI starts one process; a loop of more turns than are
// run calls functions that write to other members than the launch is made of.
#include <cstdlib>
#include <mpi.h>
__global__ void k(float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m;
}
struct Field {
    int n, m, steps;
    double *data;
    double *other;
};
void size(Field *f, int n, int parts) {
    f->n = n / parts;
    f->m = 4;
}
void fill(Field *f) {
    for (int i = 0; i < f->n; i++) f->data[i] = i % 7 ? 5.0 : 65.0;
}
void exchange(Field *f, int up) {
    double *data = f->data;
    MPI_Sendrecv(data + f->n, f->m, MPI_DOUBLE, up, 1, data, f->m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    f->steps++;
}
void swap_data(Field *one, Field *two) {
    double *kept = one->data;
    one->data = two->data;
    two->data = kept;
}
void step(Field *now, Field *before) {
    float *a;
    cudaMalloc(&a, before->n * sizeof(float));
    k<<<(before->n + 63) / 64, 64>>>(a, before->n, before->m);  // tried: k<<<32, 64>>>(n=2000, m=4)
}
int main(int argc, char **argv) {
    int rows = 2000, turns = 500, parts, own;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &parts);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    switch (argc) {
    case 1:
        break;
    case 3:
        rows = atoi(argv[1]);
        turns = atoi(argv[2]);
        break;
    default:
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    Field now, before;
    size(&now, rows, parts);
    size(&before, rows, parts);
    before.data = new double[before.n];
    if (own == 0) fill(&before);
    for (int at = 1; at <= turns; at++) {
        exchange(&before, own + 1);
        step(&now, &before);
        swap_data(&now, &before);
    }
}
