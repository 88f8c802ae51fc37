// libcuda: for programs that load modules themselves.
#include "device.h"
