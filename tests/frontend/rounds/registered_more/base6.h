#include <vector>
struct base6 : base5 { std::vector<int> a; };
