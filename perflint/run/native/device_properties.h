// What a program may ask of the device: cudaDeviceProp, and the attributes by number, which the
// driver's share. Sizes that bound a launch come from the architecture's data file; limits of
// textures are those of compute capability 8.x (CUDA C++ programming guide, table of technical
// specifications).
#ifndef PERFLINT_DEVICE_PROPERTIES_H
#define PERFLINT_DEVICE_PROPERTIES_H

// cudaDeviceProp as CUDA 12 has it.
struct Properties12 {
  char name[256]; unsigned char uuid[16]; char luid[8]; unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem; size_t sharedMemPerBlock; int regsPerBlock; int warpSize; size_t memPitch;
  int maxThreadsPerBlock; int maxThreadsDim[3]; int maxGridSize[3]; int clockRate;
  size_t totalConstMem; int major; int minor; size_t textureAlignment;
  size_t texturePitchAlignment; int deviceOverlap; int multiProcessorCount;
  int kernelExecTimeoutEnabled; int integrated; int canMapHostMemory; int computeMode;
  int maxTexture1D; int maxTexture1DMipmap; int maxTexture1DLinear; int maxTexture2D[2];
  int maxTexture2DMipmap[2]; int maxTexture2DLinear[3]; int maxTexture2DGather[2];
  int maxTexture3D[3]; int maxTexture3DAlt[3]; int maxTextureCubemap; int maxTexture1DLayered[2];
  int maxTexture2DLayered[3]; int maxTextureCubemapLayered[2]; int maxSurface1D;
  int maxSurface2D[2]; int maxSurface3D[3]; int maxSurface1DLayered[2]; int maxSurface2DLayered[3];
  int maxSurfaceCubemap; int maxSurfaceCubemapLayered[2]; size_t surfaceAlignment;
  int concurrentKernels; int ECCEnabled; int pciBusID; int pciDeviceID; int pciDomainID;
  int tccDriver; int asyncEngineCount; int unifiedAddressing; int memoryClockRate;
  int memoryBusWidth; int l2CacheSize; int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor; int streamPrioritiesSupported; int globalL1CacheSupported;
  int localL1CacheSupported; size_t sharedMemPerMultiprocessor; int regsPerMultiprocessor;
  int managedMemory; int isMultiGpuBoard; int multiGpuBoardGroupID; int hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio; int pageableMemoryAccess; int concurrentManagedAccess;
  int computePreemptionSupported; int canUseHostPointerForRegisteredMem; int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch; size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables; int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor; int accessPolicyMaxWindowSize; size_t reservedSharedMemPerBlock;
  int hostRegisterSupported; int sparseCudaArraySupported; int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported; int memoryPoolsSupported; int gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions; int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes; int deferredMappingCudaArraySupported;
  int ipcEventSupported; int clusterLaunch; int unifiedFunctionPointers; int reserved[63];
};

static int attribute(int which, int device) {
  const DeviceInfo *gpu = pd_info();
  switch (which) {
    case 1: return gpu->threads_per_block;
    case 2: case 3: return 1024;
    case 4: return 64;
    case 5: return 0x7fffffff;
    case 6: case 7: return 65535;
    case 8: return gpu->shared_per_block;
    case 9: return gpu->constant_bytes;
    case 10: return 32;
    case 11: return 0x7fffffff;
    case 12: return gpu->registers_per_block;
    case 13: return 1410000;  // kHz: a number must stand here; no clock is simulated
    case 36: return 1215000;
    case 14: case 30: return 512;
    case 51: return 32;
    case 15: case 19: case 31: case 41: case 78: case 79: case 80: case 83: case 89: case 91:
    case 95: case 99: case 115: case 102: return 1;
    case 16: return gpu->sms;
    case 33: return device;  // the bus it is on
    case 21: case 22: return 131072;
    case 23: return 65536;
    case 24: case 25: case 26: return 16384;
    case 27: case 28: return 32768;
    case 29: return 2048;
    case 37: return 5120;
    case 38: return gpu->l2_bytes;
    case 39: return gpu->threads_per_sm;
    case 40: return 3;
    case 75: return gpu->major;
    case 76: return gpu->minor;
    case 81: return gpu->shared_per_sm;
    case 82: return gpu->registers_per_sm;
    case 97: return gpu->shared_optin;
    case 106: return gpu->blocks_per_sm;
    case 108: return gpu->major < 8 ? 0 : gpu->l2_bytes / 4 * 3;  // an A100 says 30 of 40 MB
    case 109: return gpu->major < 8 ? 0 : 134213632;
    case 111: return gpu->shared_reserved;
    case 120: return gpu->major >= 9;  // clusters
    case 69: case 70: return 131072;
    case 71: return 65000;
    case 72: return 2097120;
    default: return 0;
  }
}

#define fill_properties(p, device) do {                                                                   \
    const DeviceInfo *gpu = pd_info();                                                            \
    memset(p, 0, sizeof *p);                                                                      \
    strcpy((p)->name, gpu->name);                                                                 \
    memcpy(&(p)->uuid, "perflint-device", 16), ((char *)&(p)->uuid)[15] = (char)(device);         \
    (p)->pciBusID = (device);                                                                     \
    (p)->totalGlobalMem = gpu->memory, (p)->sharedMemPerBlock = gpu->shared_per_block;            \
    (p)->regsPerBlock = gpu->registers_per_block, (p)->warpSize = 32, (p)->memPitch = 0x7fffffff; \
    (p)->maxThreadsPerBlock = gpu->threads_per_block;                                             \
    (p)->maxThreadsDim[0] = (p)->maxThreadsDim[1] = 1024, (p)->maxThreadsDim[2] = 64;             \
    (p)->maxGridSize[0] = 0x7fffffff, (p)->maxGridSize[1] = (p)->maxGridSize[2] = 65535;          \
    (p)->totalConstMem = gpu->constant_bytes, (p)->major = gpu->major, (p)->minor = gpu->minor;   \
    (p)->textureAlignment = 512, (p)->texturePitchAlignment = 32, (p)->surfaceAlignment = 512;    \
    (p)->multiProcessorCount = gpu->sms, (p)->canMapHostMemory = 1, (p)->maxTexture1D = 131072;   \
    (p)->maxTexture2D[0] = 131072, (p)->maxTexture2D[1] = 65536;                                  \
    (p)->maxTexture2DLinear[0] = 131072, (p)->maxTexture2DLinear[1] = 65000;                      \
    (p)->maxTexture2DLinear[2] = 2097120, (p)->maxTextureCubemap = 32768;                         \
    (p)->maxTexture2DGather[0] = (p)->maxTexture2DGather[1] = 32768;                              \
    (p)->maxTexture3D[0] = (p)->maxTexture3D[1] = (p)->maxTexture3D[2] = 16384;                   \
    (p)->maxTexture1DLayered[0] = (p)->maxTexture2DLayered[0] = 32768;                            \
    (p)->maxTexture2DLayered[1] = 32768, (p)->maxTexture1DLayered[1] = 2048;                      \
    (p)->maxTexture2DLayered[2] = 2048, (p)->maxTextureCubemapLayered[0] = 32768;                 \
    (p)->maxTextureCubemapLayered[1] = 2046, (p)->maxSurface1D = 32768;                           \
    (p)->maxSurface2D[0] = 131072, (p)->maxSurface2D[1] = 65536;                                  \
    (p)->maxSurface3D[0] = (p)->maxSurface3D[1] = (p)->maxSurface3D[2] = 16384;                   \
    (p)->maxSurface2DLayered[0] = (p)->maxSurface2DLayered[1] = 32768;                            \
    (p)->maxSurface2DLayered[2] = 2048, (p)->maxSurfaceCubemap = 32768;                           \
    (p)->concurrentKernels = 1, (p)->asyncEngineCount = 3, (p)->unifiedAddressing = 1;            \
    (p)->memoryBusWidth = 5120, (p)->l2CacheSize = gpu->l2_bytes;                                 \
    (p)->persistingL2CacheMaxSize = attribute(108, device);                                       \
    (p)->accessPolicyMaxWindowSize = attribute(109, device);                                      \
    (p)->maxThreadsPerMultiProcessor = gpu->threads_per_sm;                                       \
    (p)->streamPrioritiesSupported = 1;                                                           \
    (p)->globalL1CacheSupported = (p)->localL1CacheSupported = 1;                                 \
    (p)->sharedMemPerMultiprocessor = gpu->shared_per_sm;                                         \
    (p)->regsPerMultiprocessor = gpu->registers_per_sm;                                           \
    (p)->managedMemory = (p)->concurrentManagedAccess = 1;                                        \
    (p)->canUseHostPointerForRegisteredMem = 1, (p)->cooperativeLaunch = 1;                       \
    (p)->sharedMemPerBlockOptin = gpu->shared_optin;                                              \
    (p)->maxBlocksPerMultiProcessor = gpu->blocks_per_sm;                                         \
    (p)->reservedSharedMemPerBlock = gpu->shared_reserved;                                        \
    (p)->hostRegisterSupported = (p)->memoryPoolsSupported = 1;                                   \
  } while (0)
#endif
