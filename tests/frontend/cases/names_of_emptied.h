#include <string>
#include <vector>
namespace plain {
template <class T> struct wrapper {
  using size = T;
  using rows = std::vector<std::string>;
};
using types = wrapper<int>;
}  // namespace plain
