template <class T> struct row5 : row4<T> {};
