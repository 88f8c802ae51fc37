namespace pairs {
#define SAYS(c, text) typedef int says[(c) ? 1 : -1]
template <int n
#if defined(WIDE) && !defined(NARROW)
, bool a = (Size<n>::n < Size<n>::m)
#endif
>
struct Two {
  int first;
  template <int k> struct In {
    enum { m = k };
    SAYS((m % 2 == 0), "In must be even, or so");

    // Another
    typedef int T;
    struct Inner : Absent<T> {
    };
  };
};
using Pair = Two<2>;
}
using namespace pairs;
