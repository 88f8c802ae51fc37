#include <vector>
struct base5 : base4 { std::vector<int> a; };
