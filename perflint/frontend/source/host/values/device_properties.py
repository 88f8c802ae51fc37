"""What host code asks of the GPU: `prop.multiProcessorCount`, `cudaDeviceGetAttribute(&n, …)`.

No GPU is asked. The answers are those of an A100, as sm_80 is what is simulated by default.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.reaching_definitions import Body

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

WHY = "as an A100 answers"
_STRUCTURES = ("cudaDeviceProp", "hipDeviceProp_t", "cudaFuncAttributes")
#: It, or the last of what a container is of: `std::vector<cudaDeviceProp>`.
_STRUCTURE = pattern(rf"\b({'|'.join(_STRUCTURES)})[\s>]*$")
#: CUDA C++ Programming Guide, technical specifications for compute capability 8.0; NVIDIA A100
#: Tensor Core GPU Architecture (2020), table 4: multiprocessors, clocks, L2 cache, memory bus.
PROPERTIES: dict[str, int] = {
    **{"multiProcessorCount": 108, "warpSize": 32, "major": 8, "minor": 0},
    **{"maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048},
    **{"maxBlocksPerMultiProcessor": 32, "regsPerBlock": 65536, "regsPerMultiprocessor": 65536},
    **{"sharedMemPerBlock": 49152, "sharedMemPerBlockOptin": 166912},
    **{"sharedMemPerMultiprocessor": 167936, "l2CacheSize": 40 << 20, "totalConstMem": 65536},
    **{"clockRate": 1_410_000, "memoryClockRate": 1_215_000, "memoryBusWidth": 5120},
    **{"concurrentKernels": 1, "cooperativeLaunch": 1, "managedMemory": 1, "unifiedAddressing": 1},
    **{"canMapHostMemory": 1, "concurrentManagedAccess": 1},
    **{"maxGridSize[0]": (1 << 31) - 1, "maxGridSize[1]": 65535, "maxGridSize[2]": 65535},
    **{"maxThreadsDim[0]": 1024, "maxThreadsDim[1]": 1024, "maxThreadsDim[2]": 64},
}
#: cudaDeviceAttr's names, where they are others than the properties' (CUDA Runtime API).
_ATTRIBUTES = {
    "MaxSharedMemoryPerBlock": "sharedMemPerBlock",
    "MaxSharedMemoryPerBlockOptin": "sharedMemPerBlockOptin",
    "MaxSharedMemoryPerMultiprocessor": "sharedMemPerMultiprocessor",
    "ComputeCapabilityMajor": "major",
    "ComputeCapabilityMinor": "minor",
    "MaxRegistersPerBlock": "regsPerBlock",
    "MaxRegistersPerMultiprocessor": "regsPerMultiprocessor",
    "MaxBlocksPerMultiprocessor": "maxBlocksPerMultiProcessor",
    "TotalConstantMemory": "totalConstMem",
    "GlobalMemoryBusWidth": "memoryBusWidth",
    **{f"MaxBlockDim{axis}": f"maxThreadsDim[{at}]" for at, axis in enumerate("XYZ")},
    **{f"MaxGridDim{axis}": f"maxGridSize[{at}]" for at, axis in enumerate("XYZ")},
}
_ARRAY = pattern(r"(\w+)(?:\.|->)(\w+\[\d\])")
#: Functions that tell which of several threads runs the code: the first.
FIRST = ("omp_get_thread_num",)
AS_FIRST = "as the first"
#: There is one GPU, and it is the first. So is the process, of those that MPI starts.
_SINGLE = {"cudaGetDeviceCount": 1, "cudaGetDevice": 0, "MPI_Comm_rank": 0}
#: PyTorch's, and other libraries' functions that return the properties of a device.
_CALLED = pattern(
    r"[\w:]*[gG]et(?:Current)?DeviceProp(?:ertie)?s?\([^()]*\)(?:\.|->)(\w+(?:\[\d\])?)"
)
_ATTRIBUTE = pattern(r"cudaDevAttr(\w+)")


def property_of(place: Environment, words: str, member: str | None) -> int | None:
    """The value of a member of a cudaDeviceProp, or of a kernel's cudaFuncAttributes.

    None for any other variable's.
    """
    named = _STRUCTURE.search(words)
    if named is not None and named[1] == "cudaFuncAttributes" and member != "maxThreadsPerBlock":
        return None  # registers are known when the kernel is compiled; few need more than 64
    return PROPERTIES.get(member or "") if named is not None else None


def element_of(place: Environment, text: str) -> int | None:
    """The value of `prop.maxGridSize[0]`, `getDeviceProperties()->warpSize`; else None."""
    plain = "".join(text.split())
    if (asked := _CALLED.fullmatch(plain)) is not None:
        return PROPERTIES.get(asked[1])
    found = _ARRAY.fullmatch(plain)
    return property_of(place, place.declared_words(found[1])[0], found[2]) if found else None


def is_address(text: str, name: str) -> bool:
    """Whether an expression is the address of a variable, of a member `a.b`, or of `*p`."""
    plain = "".join(text.split()).replace("->", ".").replace("this.", "")
    return plain == (name[1:] if name.startswith("*") else f"&{name}")


def attribute_of(place: Environment, name: str) -> int | None:
    """What `cudaDeviceGetAttribute` and its kin have written to `name` before the place."""
    body = place.body()
    found: int | None = None
    for call in body.named_calls if body is not None else ():
        if call.name in _SINGLE and call.node.end_byte <= place.at and call.arguments:
            target = place.file.source.text_of(call.arguments[-1])
            if is_address(target, name):
                found = _SINGLE[call.name]
        if call.name != "cudaDeviceGetAttribute" or call.node.end_byte > place.at:
            continue
        target, attribute = (place.file.source.text_of(a) for a in call.arguments[:2])
        known = _ATTRIBUTE.search(attribute)
        if is_address(target, name) and known is not None:
            plain = known[1][0].lower() + known[1][1:]
            found = PROPERTIES.get(_ATTRIBUTES.get(known[1], plain))
    return found


#: Calls of the runtime by which a variable gets what the GPU answers, and that variable.
_GETS = pattern(
    rf"\b(?:cudaDeviceGetAttribute|cudaOccupancy\w+|{'|'.join(_SINGLE)})\s*\(([^;{{}}]*)"
)
_ADDRESS = pattern(r"&\s*(\w+)")
_PROPERTY = pattern(rf"\b(?:{'|'.join(_STRUCTURES)})\s+(\w+)")


@lru_cache(maxsize=1024)
def answered(body: Body, text: str) -> frozenset[str]:
    """The variables of a function (`text`) that hang on what the GPU is asked."""
    found = {*_PROPERTY.findall(text), *(name for name in FIRST if name in text)}
    for arguments in _GETS.findall(text):
        found |= {*_ADDRESS.findall(arguments)}
    for name in list(body.definitions) if found else ():
        for definition in body.definitions[name]:
            if definition.value is not None and found & words(body.text_of(definition.value)):
                found.add(name)
    return frozenset(found)


def words(text: str) -> set[str]:
    """The names in an expression."""
    return {*re.findall(r"[A-Za-z_]\w*", text)}
