// kernels: gruss
// Größe: «ein Kommentar» vor dem Code — 日本語も。 emoji: 🚀
__global__ void gruss(float *a) {
  /* größer als → */ a[threadIdx.x] = 1.0f; /* ✓ */ a[threadIdx.x + 64] = 2.0f;
}
