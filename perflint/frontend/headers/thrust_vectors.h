// In place of Thrust's containers, which only the host has, by their sizes (libstdc++): a class with
// such members is laid out as it is there, and functions that take one are declared.
#pragma once
#include "perflint/host_std.h"
namespace thrust {
template <class T, class...>
class device_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
template <class T, class...>
class host_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
template <class T, class...>
class universal_vector : public perflint_host::sequence<T> { perflint_host::words<32> w; };
}  // namespace thrust
