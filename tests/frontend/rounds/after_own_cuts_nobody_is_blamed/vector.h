#ifndef VECTOR_H
#define VECTOR_H

OPEN_PROJECT

template <int N>
__device__ inline float turn(float x) {
  return N * x;
}

}
#endif
