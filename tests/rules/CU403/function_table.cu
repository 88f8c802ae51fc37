// Each lane calls a function of its own: lanes take turns, however many of them a warp has.
typedef float (*Function)(float);

__device__ float as_it_is(float x) { return x; }
__device__ float parabola(float x) { return x * x + 1.0f; }
__device__ float wave(float x) { return __sinf(x); }

__constant__ Function functions[3] = {as_it_is, parabola, wave};

__global__ void evaluate(const float *in, float *out)
{
    Function function = functions[threadIdx.x];  // undecided: CU502 (the rule's own)
    out[blockIdx.x * 3 + threadIdx.x] = function(in[blockIdx.x]);
}

void launch(const float *in, float *out) { evaluate<<<484, 3>>>(in, out); }  // undecided: CU403 (the rule's own)
