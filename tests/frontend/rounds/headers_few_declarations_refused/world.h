#pragma once
#include "quads.h"
struct world {
  quad corner;
  float scale;
};
struct lane : quad {
  constexpr float first() const { return mask[0] * x; }
};
struct road {
  lane lanes[2];
};
