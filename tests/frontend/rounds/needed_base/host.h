struct B { int first; };
struct Pair : B {};
const int M = 3;
#define N M
