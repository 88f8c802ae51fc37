struct Pair { int first; };
enum { N = 3 };
