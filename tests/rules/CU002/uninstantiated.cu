// Nothing says what Policy is.
template <typename Policy> __global__ void apply(float *out, const float *in)  // expect: CU002 "apply"
{
    out[threadIdx.x] = Policy::apply(in[threadIdx.x]);
}
