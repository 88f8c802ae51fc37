"""C, C++ and CUDA as text: tokens, macros, trees, declarations, types, and constants folded."""
