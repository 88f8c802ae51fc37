// What needs a type that does not compile goes with it, and what needs that.
// kernels: plain pointed named
// lost: last "it needs `Third`, which did not compile: it needs `Second`, which did not compile"
struct First {
  Unknown value;
};
struct Second : First {};
struct Third {
  Second second;
};
struct Known;
struct Apart {
  int Third;
};

__global__ void plain(float *a) { a[threadIdx.x] += 1; }
__global__ void pointed(Known *k, float *a) { a[threadIdx.x] = k != 0; }
__global__ void last(Third *t, float *a) { a[threadIdx.x] = t->second.value; }
__global__ void named(Apart *a) { a[threadIdx.x].Third = 1; }
