struct params {
  float *out, factor;
  OF_CUDA(Texture) texture;
  friend struct array_iterator;
};
