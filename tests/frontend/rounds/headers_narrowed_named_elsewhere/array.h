struct array_iterator : absent::iterator_interface<array_iterator> {
  float *p;
};
struct array {
  array_iterator begin() const;
  array_iterator first, last;
};
