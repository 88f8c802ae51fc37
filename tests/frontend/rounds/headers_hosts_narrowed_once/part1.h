template <class T> struct row1 : row0<T> {};
