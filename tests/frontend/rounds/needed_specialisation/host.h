template <class T> struct V { enum { n = 1 }; };
template <> struct V<int> { enum { n = 3 }; };
struct Pair { int first; };
#define N V<int>::n
