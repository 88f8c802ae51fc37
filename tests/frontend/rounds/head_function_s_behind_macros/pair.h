namespace pairs {
struct Pair { int first; };
#define SAME(op) __device__ inline bool operator op(Pair a, Pair b) { return a.first op b.first; }
SAME(==)
SAME(!=)
SAME(<)
SAME(>)
template <class T>
inline T same(T x) noexcept
{
  return T{x};
}
}
using namespace pairs;
