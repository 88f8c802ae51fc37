template <class T> struct row6 : row5<T> {};
