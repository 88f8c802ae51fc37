namespace pairs {
#define OF(x) __attribute__((x))
#define LOCKED(x) OF(guarded(x))
class LOCKED("pair") Pair {
 public:
  int first;
};
}
using namespace pairs;
