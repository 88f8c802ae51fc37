using Lines = Unknown::lines;
struct Log { Lines lines; };
template <class T> struct Logged { T value; Log log; };
extern Logged<int> last;
