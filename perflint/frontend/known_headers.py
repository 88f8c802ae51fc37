"""Which headers are whose: CUDA's own, ours, and the host's that device code never needs."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file
from perflint.frontend.source.project.user_files import by_word, words

#: CUDA's headers that NVRTC compiles. All others of the toolkit are host API and left out.
_CUDA = words(
    """
    cooperative_groups/scan.h cooperative_groups/memcpy_async.h cooperative_groups.h
    cooperative_groups/reduce.h
    cuda_fp16.h cuda_fp16.hpp cuda_bf16.h cuda_bf16.hpp cuda_fp8.h cuda_fp8.hpp cuda_fp6.h
    cuda_fp4.h mma.h math_constants.h cuComplex.h cuda_pipeline.h cuda_pipeline_primitives.h
    cuda_awbarrier.h cuda_awbarrier_primitives.h vector_types.h library_types.h thrust/version.h
    cuda_device_runtime_api.h
    """
)
_TORCH_FOLDERS = ("torch/", "ATen/", "c10/", "THC/", "THCUNN/")
_OWN_CUDA = pattern(r"cuda/(?!std/|__|cmath|experimental/)[\w/]*\.\w+")
_PLAIN = pattern(r"(?:(?!\.\.?(?:/|\Z))[\w.+-]+/)*(?!\.\.?\Z)[\w.+-]+", re.ASCII)
#: Folders of CCCL's, whose headers stand in for others or come with the names that are missed.
CCCL_FOLDERS = ("cub/", "thrust/", "cuda/")
_CUDA_FOLDERS = ("cuda/", "cub/block", "cub/warp", "cub/thread", "crt/", "nv/")

#: The headers of ours, by the names they stand in for. They lie in `headers/`.
OWN = by_word(
    {
        "curand_kernel.h": "curand_kernel.h",
        "DirectXMath.h": "DirectXMath.h",
        "thrust_tuple.h": "thrust/tuple.h thrust/pair.h",
        "hip_runtime.h": "hip/hip_runtime.h",
        "stream_ref.h": "cuda/stream_ref cuda/stream",
        "mpi.h": "mpi.h",
        "curand_host.h": "curand.h",
        "library.h": "cublas.h cublas_v2.h cublasLt.h cublasXt.h cudnn.h cudnn_frontend.h "
        "cusolverDn.h cusparse.h nccl.h cufft.h cufftXt.h",
    }
)

#: CUDA's own switch that keeps cooperative groups from including CCCL, which takes a second to
#: compile. What goes with it are only the functions that take a `cuda::atomic`.
LIGHT_GROUPS = "-D_CG_LIMIT_INCLUDED_DEPENDENCIES"
#: What the switch leaves out, by the names that a message then calls undefined.
_FULL_GROUPS = words(
    """
    reduce_update_async reduce_store_async inclusive_scan_update exclusive_scan_update
    """
)

#: Headers of C, C++, POSIX, Windows and the host side of CUDA. Their contents are either in our
#: pre-include, or nothing that device code can use.
_HOST = words(
    """
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
    setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    stdnoreturn.h string.h strings.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h malloc.h
    memory.h values.h
    cassert ccomplex cctype cerrno cfenv cfloat cinttypes ciso646 climits clocale cmath csetjmp
    csignal cstdalign cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar
    cwchar cwctype algorithm any array atomic barrier bit bitset charconv chrono codecvt compare
    complex concepts condition_variable coroutine deque exception execution filesystem format
    forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
    iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional
    ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
    source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
    utility valarray variant vector version iostream.h
    dirent.h dlfcn.h fcntl.h getopt.h glob.h grp.h libgen.h netdb.h omp.h poll.h pthread.h pwd.h
    sched.h semaphore.h syslog.h termios.h unistd.h utime.h
    alloca.h byteswap.h cxxabi.h endian.h execinfo.h features.h spawn.h ucontext.h unwind.h
    windows.h Windows.h direct.h io.h process.h conio.h tchar.h winsock.h winsock2.h ws2tcpip.h
    immintrin.h emmintrin.h xmmintrin.h x86intrin.h intrin.h
    cuda.h cuda_runtime.h cuda_runtime_api.h cuda_profiler_api.h cudaProfiler.h driver_types.h
    device_launch_parameters.h device_functions.h device_types.h builtin_types.h host_defines.h
    sm_11_atomic_functions.h sm_12_atomic_functions.h sm_13_double_functions.h
    sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h
    sm_35_intrinsics.h sm_60_atomic_functions.h math_functions.h texture_types.h surface_types.h
    texture_fetch_functions.h surface_functions.h vector_functions.h channel_descriptor.h
    cuda_texture_types.h device_atomic_functions.h device_double_functions.h
    cuda_gl_interop.h cuda_egl_interop.h cudaGL.h nvrtc.h nvToolsExt.h cuda_occupancy.h
    cusolver_common.h cusparse_v2.h npp.h nppi.h nvml.h
    cuda/buffer cuda/memory_pool cuda/memory_resource
    """
)
#: The folders of CUTLASS's headers, which lie beside each other.
_OF_CUTLASS = frozenset({"cutlass", "cute"})
_HOST_FOLDERS = ("sys/", "bits/", "netinet/", "arpa/", "nvtx3/", "experimental/", "GL/", "GLES3/")


def own(name: str) -> str | None:
    """Our header that stands in for this one, or None."""
    return "torch.h" if is_pytorch(name) else OWN.get(name)


def is_pytorch(name: str) -> bool:
    """A header of PyTorch's."""
    return name.startswith(_TORCH_FOLDERS)


def is_cuda(name: str) -> bool:
    """A header of CUDA's that NVRTC can compile.

    The compiler opens it by this name below the toolkit's folders, from which `..` would lead to
    any file of the machine.
    """
    if name in _HOST or may_be_the_projects(name):
        return False
    return name in _CUDA or (name.startswith(_CUDA_FOLDERS) and bool(_PLAIN.fullmatch(name)))


def of_cutlass(path: Path) -> bool:
    """Whether a header lies in a copy of CUTLASS and CuTe.

    They take libcu++ for C++'s library where NVRTC compiles them, as CUDA's own headers do, and
    leave out what only the host has.
    """
    return any(f.name in _OF_CUTLASS and _has_cutlass(f.parent) for f in path.parents)


@lru_cache(maxsize=256)
def _has_cutlass(folder: Path) -> bool:
    return is_file(folder / "cutlass" / "cutlass.h")


def may_be_the_projects(name: str) -> bool:
    """A name that looks like CUDA's and is none of CUDA's: `cuda/vector.cuh`.

    libcu++'s headers have no suffix, but those in folders that are its own.
    """
    return bool(_OWN_CUDA.fullmatch(name))


def is_host(name: str) -> bool:
    """A header of the host's, of which device code needs nothing but what we supply."""
    return name in _HOST or name.startswith(_HOST_FOLDERS)


def wants_full_groups(message: str, name: str | None) -> bool:
    """Is a message about something that LIGHT_GROUPS may have left out?"""
    return "cooperative_groups" in message or name in _FULL_GROUPS


#: Identifiers that come from a CUDA header that the source forgot, or reached through one of
#: the headers left out.
REMEDIES = by_word(
    {
        "cuda_bf16.h": "__nv_bfloat16 nv_bfloat16 __nv_bfloat162 nv_bfloat162",
        "cuda_fp16.h": "__half half half2 __half2",
        "mma.h": "nvcuda wmma",
        "cuComplex.h": "cuComplex cuDoubleComplex cuFloatComplex",
        "cuda_device_runtime_api.h": "cudaStreamCreateWithFlags cudaStreamDestroy cudaMalloc "
        "cudaFree cudaGetLastError cudaMemcpyAsync cudaMemsetAsync "
        "cudaPeekAtLastError cudaGetErrorString cudaGraphSetConditional "
        "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion",
        "device_sync.h": "cudaDeviceSynchronize",
        "sized.h": "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
        "curand_kernel.h": "curandState curandState_t curandStatePhilox4_32_10_t",
        "cooperative_groups.h": "cooperative_groups",
        "philox.h": "philox",
        "legacy_warp.h": "__shfl __shfl_up __shfl_down __shfl_xor __any __all __ballot",
        "legacy_math.h": "float_as_int float_as_uint int_as_float uint_as_float int2float "
        "uint2float float2int float2uint mul24 umul24 mulhi umulhi mul64hi umul64hi saturate",
        "driver.h": "CUstream CUevent CUcontext CUmodule CUfunction CUarray CUgraph CUgraphExec "
        "CUdevice CUdeviceptr CUtexObject CUsurfObject CUmemGenericAllocationHandle CUgraphNode "
        "CUmemoryPool CUlibrary CUkernel",
        "simd.h": "__m128 __m128d __m128i __m256 __m256d __m256i",
        "texture_references.h": "texture surface textureReference",
        "tensor_map.h": "CUtensorMap CUtensorMap_st",
        "stream_ref.h": "stream_ref",
    }
)
#: Constants of CUDA's, and the headers of those of 16 bits, by their last letters.
_CONSTANT = pattern(r"CUDART_(?!VERSION\b)[A-Z0-9_]+")
_CONSTANTS = {"_FP16": "fp16_constants.h", "_BF16": "bf16_constants.h"}


#: The header of them whose names give way to the source's own.
LEGACY = "legacy_math.h"
LEGACY_NAMES = frozenset(name.encode() for name, header in REMEDIES.items() if header == LEGACY)


def remedy(name: str) -> str | None:
    """The header of CUDA's that has a name, or None."""
    if _CONSTANT.fullmatch(name):
        return _CONSTANTS.get(name[-5:], "math_constants.h")
    return REMEDIES.get(name)
