#ifndef SWITCHED_HEADER_H
#define SWITCHED_HEADER_H
#ifdef WITH_CUDA
#ifndef POINT_IS_MINE
typedef short3 point;
#endif
__device__ inline point twice(point a) { return make_short3(2 * a.x, 2 * a.y, 2 * a.z); }
#endif
#endif
