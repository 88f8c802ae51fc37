template <std::float_round_style R> struct Rounded { int first; };
using Pair = Rounded<std::round_to_nearest>;
enum { N = 3 };
template <class C, class T>
std::basic_ostream<C, T> &operator<<(std::basic_ostream<C, T> &, const Pair &);
