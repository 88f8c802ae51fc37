// In place of <thrust/random.h>, whose engines can be written to streams.
#pragma once
#include "perflint/thrust_streams.h"
#include <thrust/random.h>
