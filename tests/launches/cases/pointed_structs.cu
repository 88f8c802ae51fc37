// What functions write to a structure through a pointer that is handed to them.
#include <cstdlib>
struct Field { int nx, ny; float *values; };
__global__ void add(float *a, int n) { a[threadIdx.x] += n; }
__global__ void twice(float *a, int n) { a[threadIdx.x] *= n; }
__global__ void other(float *a, int n) { a[threadIdx.x] -= n; }
void set_up(Field *f, int n) { f->nx = n; f->ny = f->nx * 2; }
void around(Field *f) { set_up(f, 50); }
void perhaps(Field *f, bool more) { if (more) f->nx = 9; }
int area(const Field *f) { return f->nx * f->ny; }
void direct(float *a) {
    Field *f = (Field *)malloc(sizeof(Field));
    set_up(f, 30);
    add<<<f->ny / 10, 64>>>(a, f->nx); // tried: add<<<6, 64>>>(n=30)
    f->nx = 7;
    add<<<area(f) / 60, 96>>>(a, f->nx); // tried: add<<<7, 96>>>(n=7)
    free(f);
}
void handed(Field *f, float *a) {
    around(f);
    add<<<f->ny, 32>>>(a, f->nx); // tried: add<<<100, 32>>>(n=50)
}
void launches(Field *f, float *a) { twice<<<f->ny / 10, 64>>>(a, f->nx); } // tried: twice<<<8, 64>>>(n=5)
void later(float *a) {
    Field *f = new Field;
    set_up(f, 40);
    f->nx = 5;
    launches(f, a);
    Field *g = f;
    set_up(g, 60);
    twice<<<g->ny / 10, 96>>>(a, g->nx); // tried: twice<<<12, 96>>>(n=60)
}
void unsure(float *a, bool more) {
    Field *f = new Field;
    set_up(f, 20);
    perhaps(f, more);
    other<<<f->ny, 32>>>(a, f->nx); // tried: other<<<40, 32>>>(n=20)
}
