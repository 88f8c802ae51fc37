// In place of <thrust/tuple.h> and <thrust/pair.h>: the types are libcu++'s, as in Thrust itself, and
// come without Thrust's own, which take twice as long to compile.
#pragma once
#include <cuda/std/tuple>
#include <cuda/std/utility>
namespace thrust {
using ::cuda::std::get;
using ::cuda::std::make_pair;
using ::cuda::std::make_tuple;
using ::cuda::std::pair;
using ::cuda::std::swap;
using ::cuda::std::tie;
using ::cuda::std::tuple;
using ::cuda::std::tuple_element;
using ::cuda::std::tuple_size;
}  // namespace thrust
