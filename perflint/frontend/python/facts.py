"""The facts of the Python sources that a PTX module's `.file` directives name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from perflint.base.language import Language
from perflint.base.launch_option import MAX_SHARED
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.model import EntryOrigin
from perflint.frontend.python.entries import Entry, entries
from perflint.frontend.python.functions import PythonFunction, functions
from perflint.frontend.python.parameters import (
    TRITON_DIVISOR,
    numba_names,
    triton_divisors,
    triton_names,
)
from perflint.frontend.source.language.model import SourceFacts, SourceKernel, SourceParameter
from perflint.frontend.source.project.user_files import UnreadableError, read_text

LARGEST_TTIR = 16 << 20
_NUMBA = "NumbaEnv"  #: the environment that Numba gives each function, as a variable


@dataclass(frozen=True)
class PythonSources:
    """What is known of the Python functions behind the entries of a module."""

    facts: dict[Path, SourceFacts]
    origins: dict[str, EntryOrigin]  #: by entry


def python_sources(path: Path, ptx: str, entry_origins: dict[str, EntryOrigin]) -> PythonSources:
    """The sources of the entries that were made of Python; nothing for those of other languages.

    What Triton keeps beside `NAME.ptx` is read too: `NAME.ttir`, for the arguments that are left,
    and `NAME.json`, for the shared memory.
    """
    mine = [e for e in entries(ptx) if e.file.endswith(".py")]
    if not mine:
        return PythonSources({}, {})
    language: Language = "numba" if _NUMBA in ptx else "triton"
    ttir, shared = "", None
    if language == "triton":
        ttir = _text(path.with_suffix(".ttir"), LARGEST_TTIR)
        shared = _shared(_text(path.with_suffix(".json")))
    read: dict[str, tuple[str, tuple[PythonFunction, ...]]] = {}
    kernels: dict[str, list[SourceKernel]] = {}
    origins = {}
    for entry in mine:
        if entry.file not in read:
            text = _text(Path(entry.file))
            read[entry.file] = text, functions(Path(entry.file), text)
        function = _function(entry, read[entry.file][1])
        origin = entry_origins[entry.name]
        title = function.name if function else origin.kernel.partition("$")[0]
        origins[entry.name] = EntryOrigin(title, language=language)
        names = (
            numba_names(entry, function)
            if language == "numba"
            else triton_names(entry, function, ttir)
        )
        if names is not None:
            kernel = _kernel(entry, title, names, function)
            if language == "triton":
                divisors = triton_divisors(entry.name, ttir)
                kernel = _specialised(kernel, function, divisors, told=entry.name in ttir)
            kernels.setdefault(entry.file, []).append(replace(kernel, shared=shared))
    return PythonSources(dict(_facts(read, kernels, language)), origins)


def _facts(
    read: dict[str, tuple[str, tuple[PythonFunction, ...]]],
    kernels: dict[str, list[SourceKernel]],
    language: Language,
) -> Iterator[tuple[Path, SourceFacts]]:
    for file, (text, found) in read.items():
        subscripts = tuple(s for function in found for s in function.subscripts)
        if language == "numba":  # the entry's parameter is the array's data
            subscripts = tuple(replace(s, origin=f"{s.array}.data") for s in subscripts)
        yield (
            Path(file),
            SourceFacts(Path(file), text, tuple(kernels.get(file, ())), subscripts=subscripts),
        )


def _shared(metadata: str) -> int | None:
    """The dynamic shared memory in Triton's metadata of a kernel, in bytes."""
    try:
        found = json.loads(metadata) if metadata else None
    except (ValueError, RecursionError):
        return None
    shared = found.get("shared") if isinstance(found, dict) else None
    return shared if isinstance(shared, int) and 0 <= shared <= MAX_SHARED else None


def _text(path: Path, largest: int | None = None) -> str:
    try:
        return read_text(path, largest) if largest else read_text(path)
    except UnreadableError:
        return ""


def _function(entry: Entry, found: tuple[PythonFunction, ...]) -> PythonFunction | None:
    """The function that begins where the entry does: compilers name the line of its `def`, or of
    a decorator above it."""
    here = [f for f in found if f.line == entry.line]
    named = [f for f in found if f.name in entry.name and 0 <= f.line - entry.line <= 20]
    return next(iter(here or named), None)


def _kernel(
    entry: Entry, title: str, names: tuple[str, ...], function: PythonFunction | None
) -> SourceKernel:
    if function is not None:
        span, name_span = function.span, function.name_span
    else:
        span = name_span = Span(Path(entry.file), entry.line, 1, entry.line, 2)
    parameters = tuple(
        SourceParameter(name, f".{p.type}", p.pointer or name.endswith(".data"))
        for name, p in zip(names, entry.parameters, strict=True)
    )
    return SourceKernel(title, title, span, name_span, parameters, ())


def _specialised(
    kernel: SourceKernel,
    function: PythonFunction | None,
    divisors: Mapping[str, int],
    told: bool,
) -> SourceKernel:
    """A Triton kernel with what its specialiser says of the integers that are left.

    The launcher makes a constant of each integer argument that is 1 (triton.runtime.jit), so that
    no parameter of the PTX is, unless the function forbids it or cannot be seen. Of multiples of 16
    it says so in the kernel's text (`told`: that is in sight), and of nothing else.
    """
    kept = None if function is None else function.unspecialised

    def looked_at(p: SourceParameter) -> SourceParameter:
        never_one = kept is not None and p.name not in kept and _is_integer(p)
        divisor = 1 if p.pointer else divisors.get(p.name, 1)
        no_multiple = TRITON_DIVISOR if told and never_one and divisor == 1 else 0
        return replace(p, never_one=never_one, divisor=divisor, no_multiple=no_multiple)

    return replace(kernel, parameters=tuple(map(looked_at, kernel.parameters)))


def _is_integer(parameter: SourceParameter) -> bool:
    return not parameter.pointer and parameter.type[1:2] in ("u", "s", "b")
