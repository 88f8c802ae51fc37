#include <vector>
struct base4 : base3 { std::vector<int> a; };
