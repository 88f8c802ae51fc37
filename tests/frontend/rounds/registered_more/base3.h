#include <vector>
struct base3 : base2 { std::vector<int> a; };
