"""The libraries that stand in for NVIDIA's, compiled once by the user's own C compiler."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from perflint.base import processes
from perflint.base.patterns import pattern

SOURCE = Path(__file__).parent / "native"
_CORE = ("connection.c", "memory.c", "modules.c", "streams.c", "graphs.c", "arrays.c",
         "pools.c", "devices.c")  # fmt: skip
#: What the dynamic linker asks where a library is (native/audit.c).
AUDIT = "libperflint_audit.so"
PTXAS = "ptxas"
RUNTIMES = ("libcudart.so.12", "libcudart.so.13")
_LINKER_NAMES = pattern(r"^API int (nvJitLink\w+)", re.MULTILINE)
_UNSUPPORTED = 801  #: cudaErrorNotSupported, and the driver's the same
#: Libraries that the CPU answers: the numbers of their files for CUDA 12 and 13, and the error by
#: which their other functions end (CUBLAS_STATUS_NOT_SUPPORTED, CUFFT_NOT_SUPPORTED,
#: CURAND_STATUS_ARCH_MISMATCH).
_ON_THE_CPU = {
    "cublas": ((12, 13), 15),
    "cublasLt": ((12, 13), 15),
    "cufft": ((11, 12), 16),
    "curand": ((10,), 204),
}
_FLAGS = ("-O2", "-std=gnu11", "-fPIC", "-w")


class LibraryError(Exception):
    """The libraries could not be built; the message says what to do."""


def built(compiler: str | None = None) -> Path:
    """The folder that holds libcuda.so.1, both runtimes, and what else stands in for NVIDIA's.

    They are compiled on first use, and again when their source or the compiler changes. Raises
    LibraryError.
    """
    include = _headers()
    parent, source = cache_folder(), _source_digest(include)
    cc = _compiler(compiler)
    if cc is None:
        if known := _any_of(parent, source):
            return known
        raise LibraryError(
            "no C compiler: install gcc or clang, or set CC; perflint run needs it once"
        )
    folder = parent / f"{source}-{_compiler_digest(cc)}"
    if _is_whole(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent))
    except OSError as error:
        raise LibraryError(f"no cache folder {folder.parent}: {error.strerror}") from error
    try:
        _build(cc, include, work)
        try:
            work.rename(folder)
        except OSError:
            if not _is_whole(folder):  # another process was not first either
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def cache_folder() -> Path:
    """Where a run keeps what it may need again: `PERFLINT_CACHE_DIR`, else the user's."""
    given = os.environ.get("PERFLINT_CACHE_DIR")
    return (
        Path(given).absolute() if given else Path(platformdirs.user_cache_dir("perflint"))
    ) / "run"


def _is_whole(folder: Path) -> bool:
    return (folder / AUDIT).exists()  # the last one that is built


def _any_of(parent: Path, source: str) -> Path | None:
    """The libraries of this source that some compiler has built before."""
    return next((f for f in sorted(parent.glob(f"{source}-*")) if _is_whole(f)), None)


def _compiler(wanted: str | None) -> str | None:
    for name in (wanted, os.environ.get("CC"), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return str(Path(found).absolute())
    return None


def _headers() -> Path:
    """Where CUDA's headers are: those of the wheels that perflint depends on."""
    spec = find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        for folder in sorted(Path(place).glob("*/include"), reverse=True):
            if (folder / "cuda_runtime_api.h").exists() and (folder / "cuda.h").exists():
                return folder
    raise LibraryError("CUDA's headers are missing: pip install nvidia-cuda-runtime")


def _source_digest(include: Path) -> str:
    parts = hashlib.sha256()
    for path in (*sorted(SOURCE.iterdir()), include / "cuda.h", Path(__file__)):
        parts.update(path.name.encode() + path.read_bytes())
    return parts.hexdigest()[:24]


def _compiler_digest(cc: str) -> str:
    status = Path(cc).stat()
    known = f"{cc} {status.st_size} {status.st_mtime_ns}"
    return hashlib.sha256(known.encode()).hexdigest()[:8]


def _build(cc: str, include: Path, out: Path) -> None:
    device = [str(SOURCE / name) for name in _CORE]
    _run([cc, *_FLAGS, "-shared", "-o", str(out / "libperflint_device.so"), *device,
          "-Wl,-soname,libperflint_device.so", "-lpthread"])  # fmt: skip
    for version in ("12", "13"):
        names, define = f"cudart_{version}.txt", [f"-DCUDART={version}"]
        _build_one(cc, include, out, f"libcudart.so.{version}", names, "cudart_*.c", define)
    _build_one(cc, include, out, "libcuda.so.1", "libcuda.txt", "driver*.c", [])
    (out / "libcuda.so").symlink_to("libcuda.so.1")
    shutil.copyfile(SOURCE / "ptxas.sh", out / PTXAS)
    (out / PTXAS).chmod(0o755)
    for name, (file_numbers, status) in _ON_THE_CPU.items():
        for file_number in file_numbers:
            _build_on_the_cpu(cc, out, name, file_number, status)
    linker = _LINKER_NAMES.findall((SOURCE / "nvjitlink.c").read_text())
    for version in ("12", "13"):
        _build_plain(cc, out, f"libnvrtc.so.{version}", "nvrtc.c", "nvrtc*")
        versioned = [
            f"-Wl,--defsym=__{name}_{version}_{minor}={name}"
            for name in linker
            for minor in range(10)
        ]
        number = f"-DNVJITLINK={version}"
        exported = "nvJitLink*; __nvJitLink*"
        _build_plain(
            cc, out, f"libnvJitLink.so.{version}", "nvjitlink.c", exported, number, *versioned
        )
    _run([cc, *_FLAGS, "-fvisibility=hidden", "-shared", "-o", str(out / AUDIT),
          str(SOURCE / "audit.c"), "-ldl"])  # fmt: skip


def _build_on_the_cpu(cc: str, out: Path, name: str, number: int, status: int) -> None:
    """A library of NVIDIA's on the CPU. Its functions end with its own error, not with CUDA's."""
    soname = f"lib{name}.so.{number}"
    stubs = out / f"{soname}.c"
    known = (SOURCE / f"{name.lower()}.txt").read_text().split()
    stubs.write_text(stub_source(known, status))
    others = map(str, sorted(SOURCE.glob(f"{name.lower()}_*.c")))
    more = [str(stubs), *others, "-O3", f"-DNUMBER={number}", f"-I{SOURCE}", f"-L{out}",
            "-l:libperflint_device.so", "-Wl,-rpath,$ORIGIN", "-lm"]  # fmt: skip
    _build_plain(cc, out, soname, f"{name.lower()}.c", f"{name}*", *more)
    stubs.unlink()


def _build_plain(cc: str, out: Path, soname: str, source: str, names: str, *more: str) -> None:
    """A library of one source, whose functions have versions named as NVIDIA's have."""
    script = out / f"{soname}.map"
    script.write_text(f"{soname} {{ global: {names}; local: *; }};\n")
    link = [f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}", "-lpthread", "-ldl"]
    _run([cc, *_FLAGS, "-shared", "-o", str(out / soname), str(SOURCE / source), *more, *link])
    script.unlink()


def _build_one(
    cc: str, include: Path, out: Path, soname: str, names: str, sources: str, define: Sequence[str]
) -> None:
    known = (SOURCE / names).read_text().split()
    stubs, script = out / f"{soname}.c", out / f"{soname}.map"
    stubs.write_text(stub_source(known))
    versioned = soname if soname != "libcuda.so.1" else ""
    script.write_text(f"{versioned} {{ global: cu*; __cuda*; local: *; }};\n")
    if soname == "libcuda.so.1":
        (out / "versions.h").write_text(versions_of((include / "cudaTypedefs.h").read_text()))
    aliases = [f"-Wl,--defsym={name}={base}" for name, base in aliases_of(known)]
    files = [str(path) for path in sorted(SOURCE.glob(sources))]
    linked = ["-l:libperflint_device.so", "-Wl,-rpath,$ORIGIN", "-lpthread", "-ldl"]
    _run(
        [cc, *_FLAGS, "-shared", "-o", str(out / soname), f"-I{include}", f"-I{out}", *define,
         *files, str(stubs), f"-Wl,-soname,{soname}", f"-Wl,--version-script={script}", *aliases,
         f"-L{out}", *linked]
    )  # fmt: skip
    for made in (stubs, script, out / "versions.h"):
        made.unlink(missing_ok=True)


def _run(command: list[str]) -> None:
    with tempfile.TemporaryFile() as log:
        compiler = processes.tool(Path(command[0]), *command[1:])
        status = processes.finished(compiler, stdin=processes.DEVNULL, stdout=log, stderr=log)
        log.seek(0)
        text = log.read(1 << 20).decode("utf-8", "replace")
    if status:
        told = text.strip().splitlines()
        first = next((line for line in told if "error" in line), told[0] if told else "")
        raise LibraryError(f"{command[0]} could not build the CUDA runtime: {first}")


def aliases_of(names: Iterable[str]) -> list[tuple[str, str]]:
    """Functions for the per-thread default stream, which do what the plain ones do."""
    known = set(names)
    out = []
    for name in sorted(known):
        base = name.removesuffix("_ptsz").removesuffix("_ptds")
        if base != name and base in known:
            out.append((name, base))
    return out


_VERSION = pattern(r"\bPFN_(cu\w+?)_v(\d+)\b")
#: The one function whose newest form has a name of its own (cuda.h).
_INSTANTIATE = '{"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},'


def versions_of(typedefs: str) -> str:
    """The rows of driver_api.c's table: a function's forms, and CUDA's version that brought each.

    cudaTypedefs.h names each form by that version; their symbols are numbered in this order.
    """
    forms: dict[str, set[int]] = {}
    for name, version in _VERSION.findall(typedefs):
        forms.setdefault(name, set()).add(int(version))
    rows = [
        f'{{"{name}", {since}, "{name}{f"_v{number}" if number > 1 else ""}"}},'
        for name, versions in sorted(forms.items())
        for number, since in enumerate(sorted(versions), 1)
    ]
    return "\n".join([*rows, _INSTANTIATE]) + "\n"


def stub_source(names: Iterable[str], status: int = _UNSUPPORTED) -> str:
    """C source with a weak definition of every function: it tells its name and what it lacks.

    `status` is what it returns.
    """
    known = sorted(set(names) - {name for name, _ in aliases_of(names)})
    lines = ["int pd_missing(const char *name, const char *takes);"]
    lines += [
        f'__attribute__((weak, visibility("default"))) int {name}(void)'
        f' {{ pd_missing("{name}", "{reason(name)}"); return {status}; }}'
        for name in known
    ]
    return "\n".join(lines) + "\n"


def reason(name: str) -> str:
    """What it would take to simulate a function."""
    for line in (SOURCE / "missing.txt").read_text().splitlines():
        pattern, _, takes = line.partition("\t")
        if takes and not line.startswith("#") and fnmatchcase(name, pattern):
            return takes
    return "nobody has needed it yet"
