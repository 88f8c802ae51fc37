constexpr Absent twice(Absent x) { return x + x; }
constexpr Log operator+(Log a, Log b) { return a.plus(b); }
