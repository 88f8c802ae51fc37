#pragma once
template <class A, class B>
A cast(B value) {
  union { B from; A to; } both;
  both.from = value;
  return both.to;
}
#define ALIGNED(bytes, what) what __attribute__((aligned(bytes)))
const ALIGNED(16, float mask[2]) = { cast<float>(0xffffffff), 0 };
struct quad {
  float x, y, z, w;
};
