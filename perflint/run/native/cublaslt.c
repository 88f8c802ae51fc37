// libcublasLt: nothing of it is answered; each function says so and returns its library's error.
#define API __attribute__((visibility("default")))
API const char *cublasLtGetStatusName(int s) { return s ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_SUCCESS"; }
API const char *cublasLtGetStatusString(int s) { return s ? "the functionality is not supported" : "success"; }
