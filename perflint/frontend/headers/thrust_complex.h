// In place of <thrust/complex.h>, which prints complex numbers, too.
#pragma once
#include "perflint/thrust_streams.h"
#include <thrust/complex.h>
