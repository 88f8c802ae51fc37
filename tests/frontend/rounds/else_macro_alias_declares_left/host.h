struct Log : absent::base { std::vector<Absent> lines; };
extern Log *Pair_log(Log);
