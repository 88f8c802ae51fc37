namespace pairs {
typedef struct __align__(8)
{
  int first, second;
}
Pair;
}
using namespace pairs;
