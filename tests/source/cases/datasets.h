#ifndef DATASETS_H
# define DATASETS_H
# if !defined(MINI) && !defined(SMALL) && \
     !defined(LARGE)
#  define STANDARD
# endif
# if !defined(SIZE_I) && !defined(SIZE_J)
#  ifdef MINI
#define SIZE_I 128
#define SIZE_J 128
#  endif
#  ifdef STANDARD /* the default */
#define SIZE_I 512
#define SIZE_J 256 // columns
#  endif
# endif
# ifndef REAL
#  define REAL float
# endif
# define BLOCK_X 32
# define SELF SELF + 1
# include "datasets.h"
#endif
