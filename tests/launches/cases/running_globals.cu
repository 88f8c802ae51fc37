// Globals that a run sets as it goes on: what holds of them where a kernel is launched.
#include <cmath>
__global__ void clear(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 0;
}
__global__ void fill(float *a, int n) { a[threadIdx.x] = n; }

unsigned int tiles = 16, edge = 4;
int width = 7;
struct Extent { int x, y; } extent;

void resize(int points) {
    tiles = points / 128;
    if (points % 128 > 0) tiles++;
    edge = sqrt((double)tiles);
    while (edge * edge < tiles) edge++;
    tiles = edge * edge;
    clear<<<tiles, 128>>>(nullptr, points); // tried: clear<<<16, 128>>>(n=2000)
}
void draw(int points) {
    clear<<<dim3(edge, edge), 128>>>(nullptr, points); // tried: clear<<<(4, 4), 128>>>(n=2000)
}
void shape(int x) {
    extent.x = x;
    extent.y = 2 * extent.x;
    fill<<<extent.y, 32>>>(nullptr, extent.x); // tried: fill<<<10, 32>>>(n=5)
}

// A global that one function sets, but that another may set in between.
int steps = 3;
void reset() { steps = 1; }
void restart() { reset(); }
void step(int count) {
    steps = 2 * count;
    fill<<<1, 32>>>(nullptr, steps); // tried: fill<<<1, 32>>>(n=22)
    steps = count;
    restart();
    fill<<<2, 32>>>(nullptr, steps); // tried: fill<<<2, 32>>>(n=1)
}

// What starts with a value has it until somebody has been called that sets another.
void widen(int by) {
    width = 64;
    width += by;
}
void early() {
    fill<<<3, 32>>>(nullptr, width); // tried: fill<<<3, 32>>>(n=7)
}
int late = 7;
void lengthen(int by) {
    late = 64;
    if (by > 100) { late = 5; return; }
    late += by;
}
void after() {
    fill<<<4, 32>>>(nullptr, late); // tried: fill<<<4, 32>>>(n=67)
}
// A global's own value is in what the program sets it to; of a grid, two members are set.
int amount = 4096;
dim3 pattern;
void spread() { fill<<<pattern, 32>>>(nullptr, amount); } // tried: fill<<<(64, 2), 32>>>(n=2048)
void nobody() { fill<<<5, 32>>>(nullptr, amount); } // tried: fill<<<5, 32>>>(n=1280) | fill<<<5, 32>>>(n=96)

int main() {
    early();
    amount = amount / 2;
    pattern.x = amount / 32;
    pattern.y = amount / 2048 + 1;
    spread();
    for (int turn = 0; turn < 2; turn++) {
        resize(2000);
        if (turn) draw(2000);
    }
    shape(5);
    step(11);
    widen(3);
    lengthen(3);
    after();
}
