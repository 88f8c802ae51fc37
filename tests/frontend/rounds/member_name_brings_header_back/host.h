#include <vector>
namespace plain {
struct log0  : absent::base { using entry = int; std::vector<absent::x> a; };
struct log1  : absent::base { using entry = int; std::vector<absent::x> a; };
struct log2  : absent::base { using entry = int; std::vector<absent::x> a; };
struct log3  : absent::base { using entry = int; std::vector<absent::x> a; };
struct log4  : absent::base { using entry = int; std::vector<absent::x> a; };
struct log5  : absent::base { using entry = int; std::vector<absent::x> a; };
}
