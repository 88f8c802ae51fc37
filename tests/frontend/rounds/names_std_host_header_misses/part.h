#include <type_traits>
    template <class T> using kept = decltype(std::declval<T &>().x);
    template <class T> using pair_of = std::pair<T, std::integral_constant<int, 2>>;
    template <class T> using held = std::optional<T>;
    