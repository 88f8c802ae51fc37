#define RUN(T, NAME) \
  void run_##NAME(T *x) { Absent::run(x); }
RUN(float, f)
RUN(int, i)
