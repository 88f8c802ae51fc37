// kernels: plain chosen counted
// lost: moved "it needs `vec3`, which did not compile: absent_libraries.cu:7: `glm::` is of headers"
// lost: told "it needs `Ray`, which did not compile"
// lost: direct "`glm::` is of headers not found: glm/glm.hpp, glm/gtc/type_ptr.hpp"
#include <glm/glm.hpp>
#include <glm/gtc/type_ptr.hpp>
typedef glm::vec3 vec3;
struct Ray {
  vec3 from, to;
};
struct Box {
  float low, high;
  __device__ bool holds(const Ray &ray) const { return ray.from.x > low; }
};
__device__ float length_of(const vec3 &v) { return v.x; }
__device__ float length_of(float v) { return v; }

__global__ void plain(Box *box, float *a) {
  a[threadIdx.x] = box[threadIdx.x].high + length_of(a[threadIdx.x]);
}
__global__ void moved(float *a, vec3 by) { a[threadIdx.x] += by.x; }
__global__ void told(float *a, Ray *rays) { a[threadIdx.x] += rays[threadIdx.x].from.x; }
__global__ void direct(float *a) { a[threadIdx.x] = glm::dot(a[0], a[1]); }
// In a branch that is off.
__global__ void chosen(float *a) {
#ifdef WITH_GLM
  a[threadIdx.x] = glm::dot(a[0], a[1]);
#else
  a[threadIdx.x] = a[0] * a[1];
#endif
}
// A member of another's name is not what the library has.
struct Counts {
  int vec3, Ray;
};
__global__ void counted(Counts *c) { c[threadIdx.x].vec3 = c[0].Ray; }
