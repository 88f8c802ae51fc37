#include <vector>
struct SmallPool {
  int *free;
};
struct LargePool {
  std::vector<int>::absent_in_device_code free;
};
