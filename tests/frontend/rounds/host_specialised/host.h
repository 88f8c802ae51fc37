template <class T> struct name;
template <> struct name<Pair> { static Absent of(); };
