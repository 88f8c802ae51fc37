#include <vector>
struct base1 : base0 { std::vector<int> a; };
