// In place of cuRAND's header for the host: device code uses none of its functions.
#pragma once
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDistributionShift_st *curandDistributionShift_t;
typedef int curandStatus_t, curandRngType_t, curandOrdering_t;
