#pragma once
#include "computed_case_names.h"
#define CASE computed_case
#define CONSTANTS AS_TEXT(CASE/constants.h)
#define BODY AS_TEXT(CASE/body.cuh)
#include CONSTANTS
