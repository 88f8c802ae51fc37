// kernels: fine
struct Body {
  float x, y;
};

__global__ void fine(Body *b) { b[threadIdx.x].x += 1.0f; }

__global__ void wrong(Body *b) {
  b[threadIdx.x].mass = 1.0f;  // error: 18 has no member "mass"
}
