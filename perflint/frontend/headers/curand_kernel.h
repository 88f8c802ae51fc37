// In place of cuRAND's device API, whose wheel perflint does not need: its functions are declared
// and stay calls. States have the sizes of cuRAND's.
#pragma once
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
struct curandStateSobol32 {
  unsigned int i, x, c, direction_vectors[32];
};
typedef curandStateSobol32 curandStateSobol32_t;
struct curandStateScrambledSobol32 {
  unsigned int i, x, c, direction_vectors[32];
};
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef unsigned int curandDirectionVectors32_t[32];
struct curandStateSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef curandStateSobol64 curandStateSobol64_t;
struct curandStateScrambledSobol64 {
  unsigned long long i, x, c, direction_vectors[64];
};
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef unsigned long long curandDirectionVectors64_t[64];
template <class S>
__device__ void curand_init(unsigned long long *vectors, unsigned int offset, S *state);
template <class S>
__device__ void curand_init(unsigned long long *vectors, unsigned long long c, unsigned int offset,
                            S *state);
template <class S>
__device__ void curand_init(unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset, S *state);
template <class S>
__device__ void curand_init(unsigned int *vectors, unsigned int offset, S *state);
template <class S>
__device__ void curand_init(unsigned int *vectors, unsigned int c, unsigned int offset, S *state);
template <class S>
__device__ unsigned int curand(S *state);
template <class S>
__device__ uint4 curand4(S *state);
template <class S>
__device__ float curand_uniform(S *state);
template <class S>
__device__ double curand_uniform_double(S *state);
template <class S>
__device__ float4 curand_uniform4(S *state);
template <class S>
__device__ float curand_normal(S *state);
template <class S>
__device__ double curand_normal_double(S *state);
template <class S>
__device__ float2 curand_normal2(S *state);
template <class S>
__device__ double2 curand_normal2_double(S *state);
template <class S>
__device__ float4 curand_normal4(S *state);
template <class S>
__device__ float curand_log_normal(S *state, float mean, float deviation);
template <class S>
__device__ double curand_log_normal_double(S *state, double mean, double deviation);
template <class S>
__device__ unsigned int curand_poisson(S *state, double lambda);
template <class S>
__device__ void skipahead(unsigned long long n, S *state);
template <class S>
__device__ void skipahead_sequence(unsigned long long n, S *state);
