struct Pair { int first; };
enum class E { a = 1, b = 2 };
constexpr int operator|(E a, E b) { return (int)a | (int)b; }
#define N (E::a | E::b)
