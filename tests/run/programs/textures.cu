#include "check.h"
__global__ void fetch1(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, 31 - threadIdx.x); }
__global__ void fetch2(cudaTextureObject_t t, float *out, float dx) { out[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(t, threadIdx.x + dx, threadIdx.y + 0.5f); }
__global__ void fetch_bytes(cudaTextureObject_t t, float4 *out) { out[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f); }
__global__ void fetch3(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex3D<float>(t, 1.5f, 1.5f, threadIdx.x + 0.5f); }
__global__ void fetch_layer(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x); }
static cudaTextureObject_t texture(cudaResourceDesc &r, cudaTextureFilterMode f, cudaTextureReadMode m, cudaTextureAddressMode a = cudaAddressModeClamp, int norm = 0) {
  cudaTextureDesc t = {};
  t.filterMode = f, t.readMode = m, t.normalizedCoords = norm;
  for (int i = 0; i < 3; i++) t.addressMode[i] = a;
  cudaTextureObject_t o;
  OK(cudaCreateTextureObject(&o, &r, &t, 0));
  return o;
}
int main() {
  float host[64], back[64], *p, *out;
  for (int i = 0; i < 64; i++) host[i] = i;
  OK(cudaMalloc(&p, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = p, r.res.linear.desc = cudaCreateChannelDesc<float>(), r.res.linear.sizeInBytes = sizeof host;
  cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaReadModeElementType);
  fetch1<<<1, 32>>>(t, out);
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(back[i] == 31 - i);
  OK(cudaDestroyTextureObject(t));

  cudaArray_t a;
  cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
  OK(cudaMallocArray(&a, &c, 8, 8));
  OK(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
  cudaResourceDesc ra = {};
  ra.resType = cudaResourceTypeArray, ra.res.array.array = a;
  t = texture(ra, cudaFilterModeLinear, cudaReadModeElementType);
  fetch2<<<1, dim3(8, 8)>>>(t, out, 1.0f);  // halfway between neighbours, clamped at the end
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 8; y++) for (int x = 0; x < 8; x++) EXPECT(back[8 * y + x] == 8 * y + (x < 7 ? x + 0.5f : 7));
  t = texture(ra, cudaFilterModePoint, cudaReadModeElementType, cudaAddressModeBorder);
  fetch2<<<1, dim3(8, 8)>>>(t, out, 4.5f);
  OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 4 && back[3] == 7 && back[4] == 0);

  uchar4 bytes[4] = {{0, 51, 102, 255}, {255, 0, 0, 0}, {1, 2, 3, 4}, {9, 9, 9, 9}};
  cudaArray_t b;
  cudaChannelFormatDesc cb = cudaCreateChannelDesc<uchar4>();
  OK(cudaMallocArray(&b, &cb, 4, 1));
  OK(cudaMemcpy2DToArray(b, 0, 0, bytes, 16, 16, 1, cudaMemcpyHostToDevice));
  ra.res.array.array = b;
  t = texture(ra, cudaFilterModePoint, cudaReadModeNormalizedFloat);
  fetch_bytes<<<1, 4>>>(t, (float4 *)out);
  OK(cudaMemcpy(back, out, 64, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 0 && back[1] == 0.2f && back[2] == 0.4f && back[3] == 1 && back[4] == 1);

  cudaArray_t d, l;
  OK(cudaMalloc3DArray(&d, &c, make_cudaExtent(4, 4, 4)));
  cudaMemcpy3DParms m = {};
  m.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4), m.dstArray = d, m.extent = make_cudaExtent(4, 4, 4), m.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&m));
  ra.res.array.array = d;
  t = texture(ra, cudaFilterModePoint, cudaReadModeElementType);
  fetch3<<<1, 4>>>(t, out);
  OK(cudaMemcpy(back, out, 16, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) EXPECT(back[i] == 16 * i + 5);
  OK(cudaMalloc3DArray(&l, &c, make_cudaExtent(4, 4, 4), cudaArrayLayered));
  m.dstArray = l;
  OK(cudaMemcpy3D(&m));
  ra.res.array.array = l;
  t = texture(ra, cudaFilterModePoint, cudaReadModeElementType);
  fetch_layer<<<1, 4>>>(t, out);
  OK(cudaMemcpy(back, out, 16, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) EXPECT(back[i] == 16 * i + 1);
  cudaExtent e;
  unsigned flags;
  OK(cudaArrayGetInfo(&c, &e, &flags, l));
  EXPECT(e.width == 4 && e.depth == 4 && flags == cudaArrayLayered && c.x == 32);
  OK(cudaFreeArray(a));
  return 0;
}
