// One call is enough for: functions asked for their types.
// kernels: k
// calls: 1
#include <tuple>
template <class... T> struct list {};
namespace of {
template <class... A, class... B> list<A..., B...> joined(list<A...>, list<B...>);
template <int n, class T, class... A> T taken(list<T, A...>);
}
using both = decltype(of::joined(list<float>{}, list<int>{}));
using one = decltype(of::taken<0>(both{}));
__global__ void k(one *p) { p[threadIdx.x] = 1; }
