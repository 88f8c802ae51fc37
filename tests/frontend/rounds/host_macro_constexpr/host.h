#define EXPR constexpr
struct Log { EXPR Log(Absent a); Absent a; };
