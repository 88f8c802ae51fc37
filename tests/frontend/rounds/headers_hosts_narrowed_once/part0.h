template <class T> struct row0 : absent::base<T> {};
