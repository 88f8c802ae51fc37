#pragma once
#include <string>
namespace held {
template <class T, bool Simple> struct box;

#define HELD_BOX(simple, destructor, clear) \
  template <class T>                        \
  struct box<T, simple> {                   \
    T value;                                \
    destructor                              \
    box &operator=(const box &) = default;  \
    clear                                   \
  }

HELD_BOX(
    true,
    ~box() = default;,
    __device__ void clear() { value = T{}; });

HELD_BOX(
    false,
    ~box() { value.~T(); },
    inline void clear() {
      if (sizeof(T) > 1) {
        value = T{};
      }
    });

std::string name_of(const std::string &text) { return text + "box"; }
} // namespace held
