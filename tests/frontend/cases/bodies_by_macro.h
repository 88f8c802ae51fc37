#define RETURNS(...) \
    noexcept(noexcept(__VA_ARGS__)) -> decltype(__VA_ARGS__) { return __VA_ARGS__; }
#define BODY(...) { return __VA_ARGS__; }
namespace kept {
struct adder {
    template <typename T>
    inline constexpr auto operator()(T &&t) const RETURNS((((t) + (((int)(t)) * (1)))))
    static constexpr int three(int, int) BODY(3)
};
template <typename T>
constexpr auto twice(T t) RETURNS(t + t)

namespace detail {
template <int N>
struct of { static constexpr int value = N; };
}
template <int N>
using size_of = detail::of<N>;
inline constexpr auto three() RETURNS(adder{})
}
