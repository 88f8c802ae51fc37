// A struct that constructors make, which are defined elsewhere: its members are not the list's.
struct Sizes {
    int longest;
    int nodes;
    int width;
    Sizes(int longest = 1024, float factor = 2.0f, int wide = 256);
    Sizes(int longest, int nodes, int width, int depth);
};
struct Plain {
    int longest;
    int nodes;
    Plain() = default;
};
__global__ void fill(float *a, int longest, int nodes) { a[threadIdx.x * longest] = nodes; }
void by_default(float *a) {
    Sizes s;
    fill<<<1, 64>>>(a, s.longest, s.nodes);  // tried: fill<<<1, 64>>>(longest=1280, nodes=1152) | fill<<<1, 64>>>(longest=96, nodes=160)
}
void by_numbers(float *a) {
    Sizes s(2048, 2, 128);
    fill<<<2, 64>>>(a, s.longest, s.nodes);  // tried: fill<<<2, 64>>>(longest=1280, nodes=1152) | fill<<<2, 64>>>(longest=96, nodes=160)
}
void by_a_list(float *a) {
    Plain p{2048, 2};
    fill<<<3, 64>>>(a, p.longest, p.nodes);  // tried: fill<<<3, 64>>>(longest=2048, nodes=2)
}
// What a constructor's list computes of members of what it is given, converted as members are.
struct Request { int cells = 40; float share = 0.9f; };
class Grid {
  public:
    explicit Grid(const Request &r) : count(4 * r.cells), kept(r.cells * r.share), more(&r.cells) {}
    int grid_of_64() const { return (count + 63) / 64; }
    int count, kept;
    const int *more;
};
void by_a_request(float *a) {
    Request r;
    r.cells = 41;
    Grid g(r);
    fill<<<g.grid_of_64(), 64>>>(a, g.count, g.kept + g.kept);  // tried: fill<<<3, 64>>>(longest=164, nodes=72)
}
