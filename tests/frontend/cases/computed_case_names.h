#pragma once
#define AS_TEXT_OF(x) #x
#define AS_TEXT(x) AS_TEXT_OF(x)
