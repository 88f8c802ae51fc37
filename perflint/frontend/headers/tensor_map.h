// The driver's description of a tensor (cuda.h), which kernels pass on to the copy engine unread.
#pragma once
struct alignas(128) CUtensorMap_st {
  unsigned long long opaque[16];
};
typedef struct CUtensorMap_st CUtensorMap;
