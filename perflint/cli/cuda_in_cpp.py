"""Whether a source with C++'s ending is compiled as CUDA, by a cheap look at its bytes."""

from __future__ import annotations

import re

from perflint.base.patterns import pattern

#: Endings of C++ sources that a build may compile as CUDA (`nvcc -x cu`, CMake's `LANGUAGE CUDA`).
#: Headers are none: they come with the sources that include them, and need not compile alone.
SOURCES = (".cc", ".cpp", ".cxx", ".c++")

#: What is no code: raw strings, strings (programs for NVRTC), comments.
_NO_CODE = pattern(
    rb'R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL
)
#: A kernel with a body; one without is declared for a file that has it.
_KERNEL = pattern(rb"\b__global__\b[^;{}#]*\)\s*\{")
#: Where it is given a meaning, the code is compiled for something else.
_MEANT = pattern(rb"#[ \t]*define[ \t]+__global__\b")
_HIP = pattern(rb'#[ \t]*include[ \t]*[<"]hip/|\bhip[A-Z]\w*[ \t]*\(')
_CUDA = pattern(rb"#[ \t]*include[ \t]*<cuda|\bcuda[A-Z]\w*[ \t]*\(|\bdefined[ \t(]*__CUDACC__")


def defines_kernel(text: bytes) -> bool:
    """Whether a C++ source defines a CUDA kernel, and is not for HIP or another compiler alone."""
    if b"__global__" not in text:
        return False
    code = _NO_CODE.sub(b" ", text)
    if not _KERNEL.search(code) or _MEANT.search(code):
        return False
    return bool(_CUDA.search(code)) or not _HIP.search(text)
