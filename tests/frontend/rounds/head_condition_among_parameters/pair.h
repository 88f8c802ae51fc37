namespace pairs {
template <class T
#if defined(WIDE) && !defined(NARROW)
, bool a = (Size<T>::n < Size<T>::m)
, bool b = (Size<T>::m < Size<T>::n)
#endif
>
struct Two { T first; __device__ Two() {} };
using Pair = Two<int>;
}
using namespace pairs;
