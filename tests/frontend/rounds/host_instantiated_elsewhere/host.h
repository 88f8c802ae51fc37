template <class T> void run(T x) { absent::run(x); }
template <class T> struct Log { void add(T); Absent more; };
