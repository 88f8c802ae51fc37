template <class T> struct row8 : row7<T> {};
