// The stream classes that Thrust's headers name and device code has no use for.
#pragma once
namespace std {
template <class C>
struct char_traits;
template <class C, class T = char_traits<C>>
class basic_ostream;
template <class C, class T = char_traits<C>>
class basic_istream;
}  // namespace std
