template <class T> struct row7 : row6<T> {};
