#pragma once

OPEN_PROJECT

extern void report(const char *what, ...);

class Buffer {
public:
  Buffer() : size(0) { report("made"); }
  void clear() { size = 0; }
  int size;
};

template <int N>
struct Row {
  __device__ void turn(int by) {
    switch (by) {
    case 1:
      for (int i = 0; i < N; ++i) {
        x[i] = -x[i];
      }
      break;
    }
  }
  float x[N];
};

CLOSE_PROJECT

OPEN_C
void report_all(int);
CLOSE_C
