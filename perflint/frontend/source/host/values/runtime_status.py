"""What functions of CUDA's libraries return, where that is a status: success.

A program whose calls fail launches nothing that is worth a look, so `while (cudaMalloc(…) fails)
size /= 2;` makes no turn, and `if (cudaGetLastError() != cudaSuccess) return;` does not leave.
"""

from __future__ import annotations

from collections.abc import Iterable

from perflint.base.patterns import pattern
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.project.files import File

#: Functions of the runtime and of the libraries that come with it.
_CALL = pattern(
    r"(?:cuda|hip|cublas|cufft|curand|cusparse|cusolverDn|nccl|nvrtc)[A-Z]\w*|cu[A-Z]\w+"
)
#: … that return no status: text, a descriptor, a number (CUDA Runtime API).
_OTHERS = pattern(
    r"\w*(?:GetError(?:String|Name)|GetStatusString|GetStatusName|ChannelDesc)|make_\w+"
)
#: Each is 0 (driver_types.h, cuda.h, cublas_api.h and their like).
_SUCCESS = pattern(
    r"(?:cuda|hip|nccl)Success|CUDA_SUCCESS|CUFFT_SUCCESS|NVRTC_SUCCESS|\w+_STATUS_SUCCESS"
)
_ZERO = Value(0, c_types.INT)


def status_of_call(name: str, family: Iterable[File]) -> Value | None:
    """What a library's function returns; None for any other, and for the program's own."""
    if not _CALL.fullmatch(name) or _OTHERS.fullmatch(name):
        return None
    own = any(name in file.declarations.by_name for file in family)
    return None if own else _ZERO


def status(name: str) -> Value | None:
    """The value of a library's name for success."""
    return _ZERO if _SUCCESS.fullmatch(name) else None
