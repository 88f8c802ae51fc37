// What the test programs share: a check ends the program with the line that failed.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define EXPECT(...) do { if (!(__VA_ARGS__)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__); exit(1); } } while (0)
#define OK(...) do { cudaError_t e_ = (__VA_ARGS__); if (e_ != cudaSuccess) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #__VA_ARGS__, cudaGetErrorName(e_)); exit(1); } } while (0)
#define FAILS(error, ...) do { cudaError_t e_ = (__VA_ARGS__); if (e_ != error) { printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #__VA_ARGS__, cudaGetErrorName(e_), #error); exit(1); } } while (0)
