// A method that casts a member, or hands it to a function of <cmath>, does not change it.
__global__ void k(float *a, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w) a[i] = h;
}
class Camera {
  public:
    Camera();
    Camera(int w, int h);
    int w() const { return w_; }
    int h() const { return h_; }

  protected:
    int w_, h_;
};
class Wide : public Camera {
  public:
    Wide(int w, int h);
    float ratio();
};
Camera::Camera() : Camera(640, 480) {}
Camera::Camera(int w, int h) : w_{w}, h_{h} {}
Wide::Wide(int w, int h) : Camera(w, h) {}
float Wide::ratio() { return static_cast<float>(w_) / hypot(h_, w_); }
template <typename C> void render(float *a, C camera) {
    k<<<(camera.w() + 31) / 32, 32>>>(a, camera.w(), camera.h()); // tried: k<<<20, 32>>>(w=640, h=480) ; k<<<25, 32>>>(w=800, h=600)
}
const int Width = 800, Height = 600;
Camera camera(Width, Height);
int start(float *a) {
    camera = Camera(Width, Height);
    render(a, camera);
    return 0;
}
