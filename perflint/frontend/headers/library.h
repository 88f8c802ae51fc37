// In place of the headers of cuBLAS, cuDNN, cuFFT and the like: device code uses none of their
// functions, but the half-precision types that they bring along, and their complex numbers.
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cudnnContext *cudnnHandle_t;
typedef struct ncclComm *ncclComm_t;
typedef int cublasStatus_t, cublasComputeType_t, cublasOperation_t, cudnnStatus_t, ncclResult_t;
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
