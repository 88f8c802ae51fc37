"""The NVRTC compiler, called through ctypes.

NVRTC compiles CUDA C++ to PTX without a host compiler. It comes from the wheels
`nvidia-cuda-nvrtc`, `nvidia-cuda-runtime`, `nvidia-cuda-crt` and `nvidia-cuda-cccl`, or from an
installed CUDA toolkit. This module is imported by the worker process alone: a crash in the
library must not take perflint with it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from perflint.base.records import dataclass
from perflint.frontend.nvrtc.internal_names import stable_names


class CompilerMissingError(RuntimeError):
    """There is no NVRTC on this machine. The message says what to install."""


@dataclass(frozen=True)
class Toolchain:
    """An NVRTC library and the CUDA headers that belong to it."""

    library: Path
    includes: tuple[Path, ...]


@dataclass(frozen=True)
class Job:
    """One call of the compiler."""

    source: str
    name: str  #: what messages and `.file` call the source
    headers: Mapping[str, str] = field(default_factory=dict)  #: include name → text
    options: tuple[str, ...] = ()
    architecture: int = 80  #: compute capability × 10
    expressions: tuple[str, ...] = ()  #: name expressions: the templates to instantiate
    machine_code: bool = False  #: on through ptxas, whose figures are in the log
    image: bool = False  #: with it: the cubin too
    seconds: float | None = None  #: of processor time that it may take, if less than any may


@dataclass(frozen=True)
class Outcome:
    """What came of a `Job`."""

    code: int  #: 0 if it compiled, else NVRTC's result code
    log: str
    ptx: str  #: "" if it did not compile
    lowered: Mapping[str, str] = field(default_factory=dict)  #: name expression → PTX entry name
    architecture: int = 80  #: what was compiled for: the nearest that the compiler knows
    seconds: float = field(default=0.0, compare=False)  #: of processor time that it took
    image: str = ""  #: the cubin in base 64, where it was asked for


#: Patterns of the library's path, and the include folders.
_Layout = tuple[tuple[str, ...], tuple[str, ...]]
#: Where a library lies below a root, and the include folders that go with it. The first two are
#: the wheels' layouts (CUDA 13's common folder, CUDA 12's folder per component), then a toolkit's.
_WHEEL_LAYOUTS: tuple[_Layout, ...] = (
    (("cu13/lib/libnvrtc.so.*", "cu13/bin/*/nvrtc64_*.dll"), ("cu13/include", "cu13/include/cccl")),
    (
        ("cuda_nvrtc/lib/libnvrtc.so.*", "cuda_nvrtc/bin/nvrtc64_*.dll"),
        ("cuda_runtime/include", "cuda_cccl/include"),
    ),
)
_TOOLKIT_LAYOUT: _Layout = (
    (
        "lib64/libnvrtc.so.*",
        "lib/libnvrtc.so.*",
        "targets/*/lib/libnvrtc.so.*",
        "bin/nvrtc64_*.dll",
    ),
    ("include", "include/cccl"),
)


def find_toolchain(roots: Sequence[Path] | None = None) -> Toolchain:
    """Find NVRTC: the wheels first, then `CUDA_PATH`, `CUDA_HOME` and `/usr/local/cuda`.

    `roots` replaces the folders in which the `nvidia` wheels are looked for.
    Raises CompilerMissingError, which says what to install.
    """
    wheels = _wheel_roots() if roots is None else list(roots)
    toolkits = [Path(p) for v in ("CUDA_PATH", "CUDA_HOME") if (p := os.environ.get(v))]
    toolkits.append(Path("/usr/local/cuda"))
    if roots is not None:
        toolkits = []
    places: list[tuple[Path, _Layout]] = [(r, layout) for r in wheels for layout in _WHEEL_LAYOUTS]
    places += [(root, _TOOLKIT_LAYOUT) for root in toolkits]
    for root, (patterns, includes) in places:
        for pattern in patterns:
            # Not `libnvrtc-builtins`, nor the `.alt.` build; the shortest name is the SONAME's.
            found = [
                p for p in root.glob(pattern) if "builtins" not in p.name and ".alt" not in p.name
            ]
            if found:
                library = min(found, key=lambda p: (len(p.name), p.name))
                folders = tuple(root / i for i in includes if (root / i).is_dir())
                return Toolchain(library, folders)
    raise CompilerMissingError(_how_to_install())


def _wheel_roots() -> list[Path]:
    spec = importlib.util.find_spec("nvidia")
    return [Path(p) for p in (spec.submodule_search_locations or [])] if spec else []


def _how_to_install() -> str:
    if sys.platform == "darwin":
        return "no CUDA compiler: NVIDIA makes none for macOS; give perflint .ptx files instead"
    return (
        "no CUDA compiler: install NVRTC with `pip install nvidia-cuda-nvrtc nvidia-cuda-runtime "
        "nvidia-cuda-crt nvidia-cuda-cccl`, or set CUDA_PATH to a CUDA toolkit"
    )


class Nvrtc:
    """The loaded library. Loading takes 30 to 90 ms, a small compile 12 ms."""

    def __init__(self, toolchain: Toolchain) -> None:
        self._includes = tuple(f"-I{path}" for path in toolchain.includes)
        try:
            self._library = ctypes.CDLL(str(toolchain.library))
        except OSError as error:
            raise CompilerMissingError(f"cannot load {toolchain.library}: {error}") from error
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        self._architectures = self._supported()

    def compile(self, job: Job) -> Outcome:
        """Compile to PTX. A source that does not compile is an `Outcome`, not an exception."""
        program = ctypes.c_void_p()
        count = len(job.headers)
        texts = (ctypes.c_char_p * count)(*(_encode(t) for t in job.headers.values()))
        names = (ctypes.c_char_p * count)(*(_encode(n) for n in job.headers))
        code = self._library.nvrtcCreateProgram(
            ctypes.byref(program), _encode(job.source), _encode(job.name), count, texts, names
        )
        if code:
            return Outcome(code, self._error(code), "")
        try:
            return self._run(program, job)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _run(self, program: ctypes.c_void_p, job: Job) -> Outcome:
        architecture = self._nearest(job.architecture)
        for expression in job.expressions:
            self._library.nvrtcAddNameExpression(program, _encode(expression))
        kind = "sm" if job.machine_code else "compute"
        options = (*job.options, f"--gpu-architecture={kind}_{architecture}", *self._includes)
        if job.machine_code:
            options += ("--ptxas-options=-v",)
        array = (ctypes.c_char_p * len(options))(*(_encode(o) for o in options))
        code = self._library.nvrtcCompileProgram(program, len(options), array)
        log = stable_names(self._text(program, "ProgramLog"))
        if code:
            return Outcome(code, log or self._error(code), "", {}, architecture)
        lowered = {}
        for expression in job.expressions:
            name = ctypes.c_char_p()
            if not self._library.nvrtcGetLoweredName(
                program, _encode(expression), ctypes.byref(name)
            ):
                lowered[expression] = stable_names((name.value or b"").decode("latin-1"))
        ptx = stable_names(self._text(program, "PTX"))
        cubin = self._bytes(program, "CUBIN") if job.machine_code and job.image else b""
        image = b64encode(cubin).decode("ascii")
        return Outcome(0, log, ptx, lowered, architecture, image=image)

    def _text(self, program: ctypes.c_void_p, what: str) -> str:
        return self._bytes(program, what).rstrip(b"\0").decode("utf-8", "replace")

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(max(1, size.value))
        getattr(self._library, f"nvrtcGet{what}")(program, buffer)
        return buffer.raw

    def _error(self, code: int) -> str:
        text: bytes = self._library.nvrtcGetErrorString(code) or b"unknown error"
        return text.decode("latin-1")

    def _supported(self) -> tuple[int, ...]:
        count = ctypes.c_int()
        self._library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        numbers = (ctypes.c_int * count.value)()
        self._library.nvrtcGetSupportedArchs(numbers)
        return tuple(sorted(numbers))

    def _nearest(self, wanted: int) -> int:
        """`wanted` if it can be compiled for, else the oldest newer one, else the newest."""
        newer = [a for a in self._architectures if a >= wanted]
        if newer:
            return newer[0]
        return self._architectures[-1] if self._architectures else wanted


def compute_capability(arch: str) -> int:
    """`sm_80`, `compute_80` or `80` → 80. Raises ValueError for anything else."""
    match = re.fullmatch(r"(?:sm_|compute_)?(\d{2,3})[af]?", arch)
    if not match:
        raise ValueError(f"unknown architecture {arch!r}: give one as sm_80")
    return int(match[1])


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
