struct A { int first; };
using Pair = A;
static const int N = 3;
