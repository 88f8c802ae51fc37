static_assert(sizeof(Absent) == 4 && Absent::value, "no");
