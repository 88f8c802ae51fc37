// Texture and surface references, which CUDA 12 removed: the same fetches, through an object whose
// handle is the reference's address. None is loaded, as none was.
#pragma once
struct textureReference {
  int normalized, filterMode;
  int addressMode[3];
};
template <class T, int dimensions = 1, int mode = cudaReadModeElementType>
struct texture : textureReference {};
template <class T, int dimensions = 1>
struct surface {};

template <class T, int mode>
struct perflint_texel {
  typedef T type;
};
#define PERFLINT_FRACTION(scalar, vector)                      \
  template <>                                                  \
  struct perflint_texel<scalar, cudaReadModeNormalizedFloat> { \
    typedef float type;                                        \
  };                                                           \
  template <>                                                  \
  struct perflint_texel<vector##2, cudaReadModeNormalizedFloat> { \
    typedef float2 type;                                       \
  };                                                           \
  template <>                                                  \
  struct perflint_texel<vector##4, cudaReadModeNormalizedFloat> { \
    typedef float4 type;                                       \
  };
PERFLINT_FRACTION(signed char, char)
PERFLINT_FRACTION(unsigned char, uchar)
PERFLINT_FRACTION(short, short)
PERFLINT_FRACTION(unsigned short, ushort)
template <>
struct perflint_texel<char, cudaReadModeNormalizedFloat> {
  typedef float type;
};
#undef PERFLINT_FRACTION

#define PERFLINT_FETCH(fetch)                                                                \
  template <class T, int d, int m, class... Rest>                                            \
  __device__ typename perflint_texel<T, m>::type fetch(const texture<T, d, m> &from, Rest... rest) { \
    return fetch<typename perflint_texel<T, m>::type>((cudaTextureObject_t)&from, rest...);  \
  }
PERFLINT_FETCH(tex1Dfetch)
PERFLINT_FETCH(tex1D)
PERFLINT_FETCH(tex2D)
PERFLINT_FETCH(tex3D)
PERFLINT_FETCH(tex1DLayered)
PERFLINT_FETCH(tex2DLayered)
PERFLINT_FETCH(texCubemap)
PERFLINT_FETCH(texCubemapLayered)
PERFLINT_FETCH(tex2Dgather)
PERFLINT_FETCH(tex1DLod)
PERFLINT_FETCH(tex2DLod)
PERFLINT_FETCH(tex3DLod)
PERFLINT_FETCH(tex1DLayeredLod)
PERFLINT_FETCH(tex2DLayeredLod)
PERFLINT_FETCH(tex1DGrad)
PERFLINT_FETCH(tex2DGrad)
PERFLINT_FETCH(tex3DGrad)
#undef PERFLINT_FETCH

#define PERFLINT_SURFACE(name)                                                    \
  template <class T, class V, int d, class... Rest>                               \
  __device__ T name##read(const surface<V, d> &from, Rest... rest) {              \
    return name##read<T>((cudaSurfaceObject_t)&from, rest...);                    \
  }                                                                               \
  template <class T, class V, int d, class... Rest>                               \
  __device__ void name##read(T *value, const surface<V, d> &from, Rest... rest) { \
    name##read(value, (cudaSurfaceObject_t)&from, rest...);                       \
  }                                                                               \
  template <class T, class V, int d, class... Rest>                               \
  __device__ void name##write(T value, const surface<V, d> &to, Rest... rest) {   \
    name##write(value, (cudaSurfaceObject_t)&to, rest...);                        \
  }
PERFLINT_SURFACE(surf1D)
PERFLINT_SURFACE(surf2D)
PERFLINT_SURFACE(surf3D)
PERFLINT_SURFACE(surf1DLayered)
PERFLINT_SURFACE(surf2DLayered)
PERFLINT_SURFACE(surfCubemap)
PERFLINT_SURFACE(surfCubemapLayered)
#undef PERFLINT_SURFACE
