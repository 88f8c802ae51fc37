#define PAIR(NAME) struct NAME { int first; };
PAIR(Pair)
enum { N = 3 };
