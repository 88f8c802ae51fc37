// The warp's functions of before CUDA 9, which today's compilers have no more: they were for the
// threads that are active (CUDA C++ Programming Guide, "Warp Shuffle Functions").
#pragma once
template <typename T>
__device__ __forceinline__ T __shfl(T value, int source, int width = 32) {
    return __shfl_sync(__activemask(), value, source, width);
}
template <typename T>
__device__ __forceinline__ T __shfl_up(T value, unsigned delta, int width = 32) {
    return __shfl_up_sync(__activemask(), value, delta, width);
}
template <typename T>
__device__ __forceinline__ T __shfl_down(T value, unsigned delta, int width = 32) {
    return __shfl_down_sync(__activemask(), value, delta, width);
}
template <typename T>
__device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32) {
    return __shfl_xor_sync(__activemask(), value, mask, width);
}
__device__ __forceinline__ int __any(int condition) {
    return __any_sync(__activemask(), condition);
}
__device__ __forceinline__ int __all(int condition) {
    return __all_sync(__activemask(), condition);
}
__device__ __forceinline__ unsigned __ballot(int condition) {
    return __ballot_sync(__activemask(), condition);
}
