struct Log { template <class T> void add(T, Absent); };
#define ADD(T) \
  template void Log::add<T>(T, Absent);
  ADD(int)
  ADD(float)
