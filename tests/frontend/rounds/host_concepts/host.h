template <class T> concept Logs = requires(T x) { Absent::log(x); };
