// Numbers by the names that headers of the platform give them; what a constructor only clears.
__global__ void drawn(float *a, int w, int h) { a[threadIdx.x] += w * h; }
__global__ void moved(float *a, int n) { a[threadIdx.x] += n; }
class Canvas {
  public:
    Canvas(UINT width, GLsizei height) : canvas_width(width), canvas_height(height) { half_width = 0; }
    void prepare() { half_width = canvas_width / 2; }
    void paint(float *a) { drawn<<<half_width / 16, 16>>>(a, half_width, canvas_height); } // tried: drawn<<<40, 16>>>(w=640, h=720)
  protected:
    UINT canvas_width;
    GLsizei canvas_height;
    DWORD half_width;
};
class Cleared { // … and that two methods set
    int cleared_size = 5;
    float *a;
  public:
    Cleared() { cleared_size = 0; }
    void small() { cleared_size = 32; }
    void large() { cleared_size = 64; }
    void run() { moved<<<2, 32>>>(a, cleared_size); } // tried: moved<<<2, 32>>>(n=1280) | moved<<<2, 32>>>(n=96)
};
typedef short WORD;
void run(float *a) {
    WORD own = 70000;
    moved<<<1, 64>>>(a, own); // tried: moved<<<1, 64>>>(n=4464)
    Canvas canvas(1280, 720);
    canvas.prepare();
    canvas.paint(a);
}
