extern "C" { struct Pair { int first; }; }
extern "C" const int N = 3;
