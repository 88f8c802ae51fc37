template <class T> struct tvec { T first, second; };
#define ENTER(name, T) \
using name##_log = absent::log<T>; \
static const bool name##_known = absent::enter<name##_log>(#name);
#define NAMED(name, T) using name = tvec<T>;

NAMED(vec, float)
ENTER(vec, float)
ENTER(ivec, int)
