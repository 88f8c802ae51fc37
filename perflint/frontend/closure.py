"""A source file and all the user's headers that it includes."""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property, lru_cache
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend import configured_headers
from perflint.frontend.directives import Include, defined_macros, expanded, includes
from perflint.frontend.finder import Finder, Resolution
from perflint.frontend.known_headers import is_pytorch, of_cutlass, own
from perflint.frontend.model import CompileError
from perflint.frontend.nvrtc.blank import emptied
from perflint.frontend.source.language.trees import too_complex
from perflint.frontend.source.project.user_files import (
    UnreadableError,
    read_text,
    standing_in,
    without_wide_characters,
)

#: Bounds of what one file may draw in. cuda-samples' deepest closure has 40 files.
_MOST_FILES = 1500
_MOST_BYTES = 48 << 20
#: Of a header beyond this without device code, somebody's image library, only directives stay.
_HOST_GIANT = 256 << 10
#: The driver's header, and those of CUDA's that include it.
_OF_DRIVER = frozenset({"cuda.h", "cudaTypedefs.h", "cudaGL.h", "cudaEGL.h"})
#: `cuda_fp16.hpp`, which `cuda_fp16.h` includes at its end and NVRTC takes in no other place.
_SECOND_HALF = pattern(r"\A(cuda_\w+)\.hpp\Z")
_FIRST_HALF = r"\1.h"
#: What NVRTC defines, and nvcc does not where it compiles a file of its own: CUDA's headers and
#: CUTLASS's are to see it, the sources a name of the same length. A header by itself may be for
#: either.
_RTC, _NO_RTC = "__CUDACC_RTC__", "__perflint_rtc"
_NVCCS = frozenset({".cu"})


@dataclass(frozen=True)
class SourceFile:
    """One file of the closure."""

    path: Path
    alias: str  #: what the compiler knows it by
    text: str
    code: bytes  #: the text with one byte per character
    resolutions: Mapping[tuple[str, bool], Resolution]  #: by (name, quoted)


@dataclass(frozen=True, eq=False)
class Closure:
    """Everything that is compiled together."""

    files: Mapping[Path, SourceFile]  #: the main file first
    finder: Finder
    missing: tuple[str, ...] = ()  #: headers not found that are not the host's
    errors: tuple[CompileError, ...] = ()  #: includes that were refused
    remarks: tuple[str, ...] = ()
    aliases: Mapping[str, Path] = field(default_factory=dict)
    before: tuple[str, ...] = ()  #: aliases of what is read before the first line

    def targets(self, path: Path) -> tuple[tuple[str, bool, str | None], ...]:
        """For each `#include` in `path`, (name, quoted), the operand the compiler is given."""
        resolutions = self.files[path].resolutions.items()
        return tuple((name, quoted, self._target(r)) for (name, quoted), r in resolutions)

    @property
    def main(self) -> Path:
        """The file that the others are included by."""
        return next(iter(self.files))

    @property
    def complexity(self) -> str:
        """Why no compiler should be given these files, with the file's name; "" if it may."""
        for path, file in self.files.items():
            if reason := too_complex(file.code):
                return reason if path == self.main else f"{path.name}: {reason}"
        return ""

    @cached_property
    def libraries(self) -> frozenset[Path]:
        """The files of a library that NVRTC compiles as it stands."""
        return frozenset(path for path in self.files if of_cutlass(path) and path != self.main)

    @cached_property
    def uses_pytorch(self) -> bool:
        """Whether a file includes one of PyTorch's headers, which ours stands in for."""
        found = (r for f in self.files.values() for r in f.resolutions.values())
        return any(r.kind == "own" and is_pytorch(r.name) for r in found)

    @cached_property
    def uses_driver(self) -> bool:
        """Whether a file includes the driver's header, which says of which version CUDA is."""
        return any(name in _OF_DRIVER for f in self.files.values() for name, _ in f.resolutions)

    @cached_property
    def macros(self) -> Mapping[bytes, bytes]:
        """Every macro defined in the files, with its body."""
        return defined_macros(f.code for f in self.files.values())

    @cached_property
    def _outside(self) -> dict[tuple[str, bool, Path], Resolution]:
        """What the includes of other files refer to: their neighbours often include the same."""
        return {}

    def find(self, includer: Path, name: str, quoted: bool) -> tuple[Path, str] | None:
        """The user's header that an `#include` refers to, in any file: its path and text."""
        file = self.files.get(includer)
        if file is not None:
            resolution = file.resolutions.get((name, quoted))
        elif (key := (name, quoted, includer)) in self._outside:
            resolution = self._outside[key]
        else:
            resolution = self._outside[key] = _resolve(self.finder, *key)
        path = resolution.path if resolution is not None and resolution.kind == "user" else None
        if path is None:
            return None
        if file is not None:
            return (path, self.files[path].text) if path in self.files else None
        try:
            return path, read(path)[0]
        except UnreadableError:
            return None

    def _target(self, resolution: Resolution) -> str | None:
        if resolution.kind == "cuda":
            return f"<{_SECOND_HALF.sub(_FIRST_HALF, resolution.name)}>"
        if resolution.kind == "own":
            return f'"perflint/{own(resolution.name)}"'
        if resolution.path is not None and resolution.path in self.files:
            return f'"{self.files[resolution.path].alias}"'
        return None


@lru_cache(maxsize=512)
def _read(path: Path, _stamp: tuple[int, int]) -> tuple[str, bytes, tuple[Include, ...]]:
    text = read_text(path)
    code = without_wide_characters(text).encode("utf-8", "replace")
    return text, code, includes(code)


def read(path: Path) -> tuple[str, bytes, tuple[Include, ...]]:
    """(text, code, includes) of a file, remembered while it does not change.

    Raises UnreadableError.
    """
    if (data := standing_in(path)) is not None:
        return _read(path, (hash(data), len(data)))
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UnreadableError(getattr(error, "strerror", None) or str(error)) from error
    return _read(path, (status.st_mtime_ns, status.st_size))


def gather(main: Path, finder: Finder) -> Closure:
    """Read a file and what it includes. Raises UnreadableError for the file itself."""
    files: dict[Path, SourceFile] = {}
    remarks: list[str] = []
    resolved: list[tuple[Path, Include, Resolution]] = []
    todo, seen, size = deque([main, *finder.before]), {main, *finder.before}, 0
    while todo:
        path = todo.popleft()
        try:
            text, code, directives = _as_built(path, finder.root)
        except UnreadableError as error:
            if path == main:
                raise
            remarks.append(f"{path}: the header was left out: it {error}")
            continue
        if main.suffix in _NVCCS and not of_cutlass(path):
            text = text.replace(_RTC, _NO_RTC)
            code = code.replace(_RTC.encode(), _NO_RTC.encode())
        size += len(code)
        if len(files) >= _MOST_FILES or size > _MOST_BYTES:
            remarks.append(f"{main}: includes too much; from {path} on, headers were left out")
            break
        if path != main and not of_cutlass(path) and _is_host_giant(code):
            remarks.append(
                f"{path}: all but its directives was left out: it is large and has no device code"
            )
            code = b"\n".join(map(bytes.rstrip, emptied(code).split(b"\n")))
            text = code.decode("utf-8", "replace")
        resolutions: dict[tuple[str, bool], Resolution] = {}
        for include in directives:
            key = (include.name, include.quoted)
            if include.computed:
                before = [_code(r.path, finder.root) for r in resolutions.values() if r.path]
                known = [*(f.code for f in files.values()), *before, code]
                include = (
                    _computed(include, known)
                    or _computed(include, [*known, *_behind(resolutions.values(), finder)])
                    or include
                )
            resolution = (
                _MISSING
                if include.computed
                else _resolve(finder, include.name, include.quoted, path)
            )
            resolutions[key] = resolution = replace(
                resolution, name=resolution.name or include.name
            )
            resolved.append((path, include, resolution))
            if resolution.how == "index":
                # Without the place: a header that many others include is told of once.
                remarks.append(f"{include.name} was taken to be {resolution.path}")
            if resolution.kind == "missing" and resolution.how:
                remarks.append(
                    f"{path}:{include.line}: {include.name} is left out: {resolution.how}"
                )
            if resolution.how == "instead":
                remarks.append(
                    "perflint's own headers stand in for PyTorch's, which NVRTC cannot compile; "
                    "--nvcc takes those that the build gives"
                )
            if resolution.kind == "user" and resolution.path not in seen:
                assert resolution.path is not None
                seen.add(resolution.path)
                todo.append(resolution.path)
        alias = _alias(code, {f.alias for f in files.values()}) if files else "perflint-0.cu"
        files[path] = SourceFile(path, alias, text, code, resolutions)
    return Closure(
        files,
        finder,
        tuple(dict.fromkeys(i.name for _, i, r in resolved if r.kind == "missing")),
        tuple(_refusal(*each) for each in resolved if each[2].kind == "refused"),
        tuple(dict.fromkeys(remarks)),
        {f.alias: f.path for f in files.values()},
        tuple(files[header].alias for header in finder.before if header in files),
    )


_MISSING = Resolution("missing")


def _alias(code: bytes, taken: Collection[str]) -> str:
    """A header's name: the same in every file that includes it, and on every machine."""
    name = f"perflint-{zlib.crc32(code):08x}"
    alternatives = (f"{name}-{n}.h" for n in range(1, len(taken) + 1))
    return next(a for a in (f"{name}.h", *alternatives) if a not in taken)


def _resolve(finder: Finder, name: str, quoted: bool, includer: Path) -> Resolution:
    try:
        return finder.resolve(name, quoted, includer)
    except (OSError, ValueError):  # a name too long, or one that is no path
        return _MISSING


def _as_built(path: Path, root: Path) -> tuple[str, bytes, tuple[Include, ...]]:
    """What `read` gives, of a template the header that a build makes of it."""
    text, code, directives = read(path)
    if configured_headers.is_template(path):
        text = configured_headers.configured(text, path, root)
        code = without_wide_characters(text).encode("utf-8", "replace")
        directives = includes(code)
    return text, code, directives


def _code(path: Path, root: Path) -> bytes:
    """A header's code; none if it cannot be read."""
    try:
        return _as_built(path, root)[1]
    except UnreadableError:
        return b""


def _behind(resolutions: Iterable[Resolution], finder: Finder) -> list[bytes]:
    """The codes of headers, and of those that they include in turn, what is computed left out."""
    codes: dict[Path, bytes] = {}
    todo = deque(r.path for r in resolutions if r.path)
    while todo and len(codes) < _MOST_FILES:
        path = todo.popleft()
        if path in codes:
            continue
        codes[path] = code = _code(path, finder.root)
        plain = (i for i in includes(code) if not i.computed)
        found = (_resolve(finder, i.name, i.quoted, path) for i in plain)
        todo += [r.path for r in found if r.kind == "user" and r.path]
    return list(codes.values())


def _computed(include: Include, texts: Iterable[bytes]) -> Include | None:
    """`#include MACRO` or `#include MACRO(x.h)`, by the macros of these texts."""
    name = include.name.encode("utf-8", "surrogateescape")
    written = expanded(name, texts)
    plain = includes(b"#include " + written) if written != name else ()
    return replace(plain[0], line=include.line) if plain and not plain[0].computed else None


def _is_host_giant(code: bytes) -> bool:
    return len(code) > _HOST_GIANT and b"__device__" not in code and b"__global__" not in code


def _refusal(path: Path, include: Include, resolution: Resolution) -> CompileError:
    message = f'"{include.name}" is not read: {resolution.how}'
    return CompileError(path, include.line, 1, message, genuine=False)
