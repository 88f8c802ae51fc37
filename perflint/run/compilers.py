"""What a program's own compilers and caches are told: NVRTC and nvJitLink, Numba, CuPy, Triton."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from perflint.frontend.nvrtc.library import CompilerMissingError, find_toolchain
from perflint.run.library import PTXAS, cache_folder


def for_compilers(libraries: Path) -> dict[str, str]:
    """Environment of a program that compiles device code while it runs.

    NVIDIA's libraries are named that native/nvrtc.c and native/nvjitlink.c forward to. What such a
    program keeps of its compilations is no machine code here, so it is kept apart from the user's.
    """
    out = {}
    with suppress(CompilerMissingError):  # native/nvrtc.c says so if the program compiles anything
        out["PERFLINT_RUN_NVRTC"] = str(find_toolchain().library)
    if linker := _linker():
        out["PERFLINT_RUN_NVJITLINK"] = str(linker)
    for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
        out[name] = str(libraries / PTXAS)
    kept = cache_folder() / "program"
    for name in ("NUMBA_CACHE_DIR", "CUPY_CACHE_DIR", "TRITON_CACHE_DIR"):
        out[name] = str(kept / name.split("_")[0].lower())
    # CuPy's wheel has CUB's reductions as machine code, and makes its own where it is told to.
    out["CUPY_ACCELERATORS"] = os.environ.get("CUPY_ACCELERATORS", "")
    return out


def _linker() -> Path | None:
    """NVIDIA's nvJitLink, where its wheel is installed beside perflint."""
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(place).glob("*/lib/libnvJitLink.so.*"), reverse=True):
            return path
    return None
