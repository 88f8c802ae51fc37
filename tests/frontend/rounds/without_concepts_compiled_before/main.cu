// What does without concepts is compiled as before.
// kernels: older
// lost: newer "it is under `#if __cplusplus >="
// calls: 1
#if __cplusplus >= 202002L
template <typename T>
concept Any = true;
__global__ void newer(int *p) {}
#else
__global__ void older(int *p) {}
#endif
