#include <vector>
struct Log : Unknown { std::vector<int> lines; Absent more; };
Log the_log = Absent();
using Lines = Unknown::lines;
typedef Absent *Pointer;
