template <class T> struct row2 : row1<T> {};
