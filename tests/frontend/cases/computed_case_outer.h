#pragma once
#include "computed_case.h"
