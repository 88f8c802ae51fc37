// What CUB had of one instruction each, and of template metaprogramming, until CCCL 3: as its
// manual says what they do (CUB 1.8, util_ptx.cuh, util_type.cuh).
#pragma once
#include <cub/version.cuh>
#include <cub/util_ptx.cuh>
#if CUB_VERSION >= 300000
namespace cub {
__device__ __forceinline__ unsigned int LaneId() {
  unsigned int id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ unsigned int WarpId() {
  unsigned int id;
  asm("mov.u32 %0, %%warpid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ unsigned int LaneMaskLt() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned int LaneMaskLe() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned int LaneMaskGt() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ unsigned int LaneMaskGe() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
  return mask;
}
__device__ __forceinline__ void BFI(unsigned int &to, unsigned int x, unsigned int y,
                                    unsigned int start, unsigned int bits) {
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(to) : "r"(y), "r"(x), "r"(start), "r"(bits));
}
__device__ __forceinline__ int PRMT(unsigned int a, unsigned int b, unsigned int index) {
  return __byte_perm(a, b, index);
}
__device__ __forceinline__ unsigned int SHR_ADD(unsigned int x, unsigned int shift,
                                                unsigned int addend) {
  return (x >> shift) + addend;
}
__device__ __forceinline__ unsigned int SHL_ADD(unsigned int x, unsigned int shift,
                                                unsigned int addend) {
  return (x << shift) + addend;
}
__device__ __forceinline__ unsigned int IADD3(unsigned int x, unsigned int y, unsigned int z) {
  return x + y + z;
}
__device__ __forceinline__ void ThreadTrap() { asm volatile("trap;"); }
__device__ __forceinline__ void CTA_SYNC() { __syncthreads(); }
__device__ __forceinline__ int CTA_SYNC_AND(int p) { return __syncthreads_and(p); }
__device__ __forceinline__ int CTA_SYNC_OR(int p) { return __syncthreads_or(p); }
__device__ __forceinline__ void WARP_SYNC(unsigned int members) { __syncwarp(members); }
__device__ __forceinline__ int WARP_ANY(int p, unsigned int members) {
  return __any_sync(members, p);
}
__device__ __forceinline__ int WARP_ALL(int p, unsigned int members) {
  return __all_sync(members, p);
}
__device__ __forceinline__ int WARP_BALLOT(int p, unsigned int members) {
  return __ballot_sync(members, p);
}
template <int A>
struct Int2Type {
  enum { VALUE = A };
};
template <bool IF, class Then, class Else>
struct If {
  typedef Then Type;
};
template <class Then, class Else>
struct If<false, Then, Else> {
  typedef Else Type;
};
template <class A, class B>
struct Equals {
  enum { VALUE = 0, NEGATE = 1 };
};
template <class A>
struct Equals<A, A> {
  enum { VALUE = 1, NEGATE = 0 };
};
}  // namespace cub
#endif
