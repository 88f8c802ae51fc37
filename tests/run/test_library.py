"""The libraries that stand in for NVIDIA's: every function is there, with what CUDA 12 expects."""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from perflint.run.library import SOURCE, LibraryError, aliases_of, built, reason, stub_source

_NAMES = {"libcudart.so.12": "cudart_12.txt", "libcudart.so.13": "cudart_13.txt",
          "libcuda.so.1": "libcuda.txt"}  # fmt: skip


@pytest.mark.parametrize("name", sorted(_NAMES))
def test_every_function_is_there(name: str, libraries: Path) -> None:
    library = ctypes.CDLL(str(libraries / name))
    missing = [f for f in (SOURCE / _NAMES[name]).read_text().split() if not hasattr(library, f)]
    assert missing == []


def test_every_function_that_is_not_simulated_says_what_it_would_take() -> None:
    for names in _NAMES.values():
        for name in (SOURCE / names).read_text().split():
            assert reason(name)
    assert "OpenGL" in reason("cudaGraphicsGLRegisterBuffer")
    assert aliases_of(["cudaMemcpy", "cudaMemcpy_ptds"]) == [("cudaMemcpy_ptds", "cudaMemcpy")]
    assert "cudaMemcpy_ptds" not in stub_source(["cudaMemcpy", "cudaMemcpy_ptds"])


#: Offsets of fields of CUDA 12's cudaDeviceProp, from its header.
_FIELDS = {"totalGlobalMem": (288, "<Q"), "sharedMemPerBlock": (296, "<Q"), "warpSize": (308, "<i"),
           "maxThreadsPerBlock": (320, "<i"), "clockRate": (348, "<i"), "major": (360, "<i"),
           "multiProcessorCount": (388, "<i")}  # fmt: skip

_ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
room = ctypes.create_string_buffer(4096)
assert library.cudaGetDeviceProperties_v2(room, 0) == 0
sys.stdout.buffer.write(room.raw)
"""


def test_cuda_12_finds_its_own_structures(libraries: Path) -> None:
    from tests.run.conftest import perflint_run

    out = subprocess.run(
        [sys.executable, "-m", "perflint", "run", "--isolated", "--no-findings", "-q", "--",
         sys.executable, "-c", _ASK, str(libraries / "libcudart.so.12")],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    found = {name: struct.unpack_from(code, out, at)[0] for name, (at, code) in _FIELDS.items()}
    assert found == {
        "totalGlobalMem": 8 << 30, "sharedMemPerBlock": 48 << 10, "warpSize": 32,
        "maxThreadsPerBlock": 1024, "clockRate": 1410000, "major": 8, "multiProcessorCount": 4,
    }  # fmt: skip
    assert out.startswith(b"perflint sm_80 (simulated)\0")
    assert perflint_run("--no-findings", "--", sys.executable, "-c", "pass").status == 0


def test_libraries_that_are_kept_need_no_compiler(
    libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = tmp_path / "bin"
    nothing.mkdir()
    monkeypatch.setenv("PATH", str(nothing))
    monkeypatch.delenv("CC", raising=False)
    assert (built() / "libcuda.so.1").exists()
    monkeypatch.setenv("PERFLINT_CACHE_DIR", str(tmp_path / "empty"))
    with pytest.raises(LibraryError, match="no C compiler"):
        built()


def test_the_cache_directory_holds_for_the_libraries(
    libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERFLINT_CACHE_DIR", str(tmp_path))
    (tmp_path / "run").symlink_to(libraries.parent)
    assert built() == tmp_path / "run" / libraries.name
