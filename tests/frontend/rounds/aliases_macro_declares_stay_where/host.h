struct Log : absent::base { std::vector<Absent> lines; };
extern Log *Pair_log(Log);
inline Absent first(Log x) { return x.first; }
Log last;
absent::Any b = absent();
