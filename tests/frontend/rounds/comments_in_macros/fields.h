#pragma once
#include <cmath>
#include <iostream>
namespace fields {
__device__ inline float twice(float x) { return 2 * x; }
#define STORE(Type, ...)                                  \
  void store(std::ostream &out) const                     \
  {                                                       \
    try                                                   \
    {                                                     \
      /* What may be wrong with it is told by those */    \
      /* who call it, as they know where it goes.   */    \
      int version$ = 1;                                   \
      put(version$, out);                                 \
    }                                                     \
    catch (stored_wrong &e)                               \
    {                                                     \
      throw stored_wrong(e.info + "\n in " #Type);        \
    }                                                     \
  }                                                       \
                                                          \
  void load(std::istream &in)                             \
  {                                                       \
    try                                                   \
    {                                                     \
      get(in, __VA_ARGS__);                               \
    }                                                     \
    catch (stored_wrong &e)                               \
    {                                                     \
      throw stored_wrong(e.info + "\n in " #Type);        \
    }                                                     \
  }                                                       \
  inline friend void put(const Type &x, std::ostream &o)  \
  {                                                       \
    x.store(o);                                           \
  }
}
