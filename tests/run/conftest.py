"""The programs of this folder, compiled once a session by nvcc, and run on the simulator."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import platformdirs
import pytest

from perflint.run.library import LibraryError, built

PROGRAMS = Path(__file__).parent / "programs"
#: What some programs are about.
FLAGS = {
    "threads": ["--default-stream", "per-thread"],
    "children": ["-rdc=true", "-lcudadevrt"],
    "clusters": ["-gencode", "arch=compute_90,code=compute_90"],
}


def nvcc() -> str | None:
    """The nvcc on the PATH, or the one of NVIDIA's wheels."""
    found = shutil.which("nvcc")
    if found:
        return found
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(place).glob("*/bin/nvcc")):
            return str(path)
    return None


@dataclass(frozen=True)
class Finished:
    """A program that has run under `perflint run`."""

    status: int
    out: str
    err: str


def compiled(source: Path, *flags: str, name: str = "") -> Path:
    """A program's file; compiled when its source or flags changed since the last time."""
    compiler = nvcc()
    if compiler is None:
        pytest.skip("there is no nvcc")
    text = source.read_bytes() + (PROGRAMS / "check.h").read_bytes()
    key = hashlib.sha256(repr((compiler, flags, str(source))).encode() + text).hexdigest()[:16]
    folder = Path(platformdirs.user_cache_dir("perflint")) / "test-programs" / key
    program = folder / (name or source.stem)
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{program.name}.{os.getpid()}"
        command = [compiler, "-w", "-o", str(part), str(source), *flags, f"-L{_linkable(compiler)}",
                   f"-L{Path(compiler).resolve().parents[1] / 'lib'}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        part.rename(program)
    return program


def _linkable(compiler: str) -> Path:
    """A folder with a `libcudart.so` to link with, which NVIDIA's wheels lack."""
    library = Path(compiler).resolve().parents[1] / "lib" / "libcudart.so.13"
    folder = Path(platformdirs.user_cache_dir("perflint")) / "test-programs"
    folder.mkdir(parents=True, exist_ok=True)
    if library.exists():
        with suppress(FileExistsError):
            (folder / "libcudart.so").symlink_to(library)
    return folder


def ready(name: str) -> Path:
    """One of this folder's programs, built as `perflint build` would."""
    return compiled(PROGRAMS / f"{name}.cu", "-cudart", "shared", "-lineinfo", *FLAGS.get(name, ()))


@pytest.fixture(scope="session", autouse=True)
def kept_libraries(own_cache: Path) -> None:
    """The libraries are compiled once, not once for each run of tests."""
    kept = Path(platformdirs.user_cache_dir("perflint")) / "run"
    kept.mkdir(parents=True, exist_ok=True)
    if not (own_cache / "run").exists():
        (own_cache / "run").symlink_to(kept)


@pytest.fixture(scope="session")
def libraries() -> Path:
    """The libraries that stand in for NVIDIA's."""
    try:
        return built()
    except LibraryError as error:
        pytest.skip(str(error))


def perflint(*arguments: str, timeout: float = 120) -> Finished:
    """A command of perflint's in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout, done.stderr)


def perflint_run(*arguments: str) -> Finished:
    """`perflint run`, whatever configuration is around."""
    return perflint("run", "--isolated", *arguments)
