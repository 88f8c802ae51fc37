struct Pair { int first; };
constexpr int three() { return 3; }
constexpr int N = three();
