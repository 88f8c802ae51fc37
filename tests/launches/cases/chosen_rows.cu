// An element of a table is one in all that is computed of it; which one is a choice.
__global__ void fill(float *a, int boxes, int terms, float width) { a[2 * threadIdx.x * boxes] = width * terms; }
void solve(float *a, float width, int boxes, int threads) {
    int terms = 2 * 3 * boxes;
    int blocks = (4 * terms + threads - 1) / threads;
    fill<<<blocks, threads>>>(a, boxes, terms, width / boxes);  // tried: fill<<<3, 256>>>(boxes=25, terms=150, width=0.06) ; fill<<<5, 256>>>(boxes=50, terms=300, width=0.03) ; fill<<<8, 256>>>(boxes=75, terms=450, width=0.02)
}
void prepare(float *a, float width, int wanted, int threads) {
    int boxes = wanted < 8 ? 8 : wanted;
    int allowed[3] = {25, 50, 75};
    int chosen;
    for (chosen = 0; allowed[chosen] < boxes; chosen++) continue;
    boxes = allowed[chosen];
    solve(a, width, boxes, threads);
}
__global__ void among(float *a, int boxes, float width) { a[2 * threadIdx.x * boxes] = width; }
void step(float *a, float width, int boxes) {
    among<<<boxes, 64>>>(a, boxes, width);  // tried: among<<<75, 64>>>(boxes=75, width=1.5) ; among<<<90, 64>>>(boxes=90, width=1.5)
}
// A loop that looks for an element of what is read: which it finds is computed, also for callers.
void look(float *a, float width, int steps) {
    int boxes = 60;
    int allowed[4] = {25, 75, 90, 100};
    if (boxes < allowed[3]) {
        int chosen;
        for (chosen = 0; allowed[chosen] < boxes; chosen++)
            ;
        boxes = allowed[chosen];
    }
    for (int k = 0; k != steps; k++) step(a, width, boxes);
    step(a, width, 90);
}
