#include <vector>
struct base2 : base1 { std::vector<int> a; };
