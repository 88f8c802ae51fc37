struct sum { float all; };
struct Log : absent::base { Absent sum; };
Absent::x y;
