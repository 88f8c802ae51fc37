#pragma once
#define PROJECT waves
#define OPEN_PROJECT namespace PROJECT {
#define CLOSE_PROJECT }
#define OPEN_INNER \
  OPEN_PROJECT     \
  namespace inner {
#define CLOSE_INNER \
  }                 \
  CLOSE_PROJECT
#define OPEN_C extern "C" {
#define CLOSE_C }
#define WITH_PROJECT using namespace PROJECT;
