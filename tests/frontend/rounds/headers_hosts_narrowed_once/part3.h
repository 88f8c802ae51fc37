template <class T> struct row3 : row2<T> {};
