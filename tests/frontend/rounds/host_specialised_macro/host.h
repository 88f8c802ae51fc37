template <class T> struct kind;
#define KIND(T, E) \
  template <> struct kind<T> { static const Absent v = E; }
KIND(int, Absent::INT);
KIND(Pair, Absent::PAIR);
