template <class T> struct row4 : row3<T> {};
