// What a constructor sets in turn: a question in between is asked of what it has set before.
__global__ void counted(float *a, int n) { a[threadIdx.x] += n; }
__global__ void kept(float *a, int n) { a[threadIdx.x] -= n; }
class Sized {
  public:
    Sized(int major) {
        cores = -1;
        if (major == 3) cores = 192;
        if (cores == -1) cores = 128;
    }
    void run(float *a) { counted<<<4, 64>>>(a, cores); } // tried: counted<<<4, 64>>>(n=128)
  private:
    int cores;
};
class Plain {
  public:
    Plain() {
        first = -1;
        if (first == -1) first = 224;
        second = 96;
        if (second == -1) second = 224;
    }
    void run(float *a) {
        counted<<<8, 64>>>(a, first); // tried: counted<<<8, 64>>>(n=224)
        kept<<<8, 64>>>(a, second); // tried: kept<<<8, 64>>>(n=96)
    }
  private:
    int first, second;
};
