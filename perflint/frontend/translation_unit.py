"""One source with all that it includes: its files, and the facts of them, each read once."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.closure import Closure, gather
from perflint.frontend.finder import Finder, project_root
from perflint.frontend.header_sources import sources_of_callers, sources_of_headers
from perflint.frontend.source.language.cuda_switches import cuda_switches
from perflint.frontend.source.language.macros import bodies_of
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.language.tokens import LAUNCH

if TYPE_CHECKING:
    from perflint.frontend.source.launches.asked_kernels import AskedKernels

#: What tells device code in a header; a launch does, too.
_MARKS = (b"__global__", b"__device__")
_LAUNCH = pattern(LAUNCH.encode())
#: Names that stand for one: `#define GLOBAL __global__`.
_NAMED = pattern(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\b[^\n]*(?:__global__|<<[ \t]*<)", re.MULTILINE)
#: Macros of libraries' headers that host code computes blocks of (c10/macros/Macros.h).
_LIBRARIES = {"C10_WARP_SIZE": "32"}
#: Macros of a header that is read before the first line: `#define NAME BODY`, no parameters.
_DEFINE = pattern(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?![\w(])[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)


#: Sources whose facts are kept.
MOST_KEPT = 16


@dataclass(frozen=True)
class _Kept:
    """Facts that were read."""

    files: bytes  #: a digest of what they were read of
    asked: AskedKernels | None
    macros: Mapping[str, str]  #: that were given, with their bodies
    facts: Mapping[Path, SourceFacts]
    preprocessed: frozenset[str]  #: the texts of which macros may say anything

    def holds_with(self, macros: Mapping[str, str]) -> bool:
        """Whether they are the same with these macros: no text names one that is another.

        What nvcc is told for its own headers (`--extended-lambda`) is seldom asked for elsewhere.
        """
        both = self.macros.keys() | macros.keys()
        other = {n.partition("(")[0].strip() for n in both if self.macros.get(n) != macros.get(n)}
        texts = (*self.preprocessed, *self.macros.values(), *macros.values()) if other else ()
        return not any(name in text for text in texts for name in other)


_kept: list[_Kept] = []  #: the oldest first


def finder_of(
    path: Path,
    include: Sequence[Path] = (),
    root: Path | None = None,
    before: Sequence[Path] = (),
) -> Finder:
    """Finds the headers of a file: `include` are -I folders, `before` headers of -include."""
    main = Path(os.path.realpath(path))
    project, bounded = project_root(main, root)
    folders = tuple(Path(os.path.realpath(i)) for i in include)
    return Finder(main, project, bounded, folders, tuple(Path(os.path.realpath(b)) for b in before))


def read_facts(
    path: Path,
    *,
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    before: Sequence[Path] = (),
    root: Path | None = None,
    others: Mapping[Path, str] | None = None,
    closed: bool = False,
    asked: AskedKernels | None = None,
) -> Mapping[Path, SourceFacts]:
    """The facts of a file and of the headers of it that hold device code or launches.

    By real path, the file's own first; `others` are texts of the same program. Launches of other
    kernels than the `asked` may be left out. Raises UnreadableError; with `closed`, OpenLaunchError
    at a launch of the file's own that hangs on what is not in sight.
    """
    finder = finder_of(path, include, root, before)
    return facts_of(gather(finder.main, finder), define, others, closed, asked)


def facts_of(
    closure: Closure,
    define: Sequence[str] = (),
    others: Mapping[Path, str] | None = None,
    closed: bool = False,
    asked: AskedKernels | None = None,
) -> Mapping[Path, SourceFacts]:
    """As `read_facts`, for files that are gathered already.

    What was read last is kept until `forget`: a source is read again for each fragment that it
    includes, and with what a build defines. All that a file launches is of use where some of it is
    asked for.
    """
    beside = {path: text for path, text in (others or {}).items() if path != closure.main}
    files, macros = _digest(closure, beside), _macros(closure, define)
    known = [k for asks in dict.fromkeys((None, asked)) for k in _kept if k.asked == asks]
    found = next((k for k in known if k.files == files and k.holds_with(macros)), None)
    if found is None:
        found = _read(closure, files, macros, beside, closed, asked)
        _kept[:] = [*_kept, found][-MOST_KEPT:]
    return dict(found.facts)


def forget() -> None:
    """Forget what was read: files may have changed."""
    _kept.clear()


def _digest(closure: Closure, others: Mapping[Path, str]) -> bytes:
    """What facts hang on but for macros: the files' texts, and where headers are looked for."""
    digest = hashlib.blake2b(repr((closure.finder, closure.main)).encode())
    texts = ((path, file.text) for path, file in closure.files.items())
    for path, text in (*texts, *others.items()):
        digest.update(f"{path}\0{len(text)}\0{text}".encode("utf-8", "replace"))
    return digest.digest()


def _macros(closure: Closure, define: Sequence[str]) -> Mapping[str, str]:
    """The macros that are given, with their bodies: by libraries, a build for CUDA, and `-D`."""
    macros: dict[str, str] = {}
    for header in closure.finder.before:
        if (file := closure.files.get(header)) is not None:
            macros |= dict(_DEFINE.findall(file.text))
    switches = cuda_switches(file.text for file in closure.files.values())
    return _LIBRARIES | dict.fromkeys(switches, "1") | macros | bodies_of(define)


def _read(
    closure: Closure,
    digest: bytes,
    macros: Mapping[str, str],
    others: Mapping[Path, str] | None,
    closed: bool,
    asked: AskedKernels | None,
) -> _Kept:
    from perflint.frontend.source import facts

    named = {n for file in closure.files.values() for n in _NAMED.findall(file.code)}
    marks = (*_MARKS, *sorted(named))
    files = {
        path: file.text
        for path, file in closure.files.items()
        if path == closure.main
        or any(mark in file.code for mark in marks)
        or _LAUNCH.search(file.code)
    }
    main, root = closure.main, closure.finder.root
    preprocessed: set[str] = set()
    found = facts.read_with_headers(
        main,
        files[main],
        files.keys(),
        others,
        find=closure.find,
        define=macros,
        root=root,
        parts=sources_of_headers(closure) | ({} if closed else sources_of_callers(closure)),
        closed=closed,
        asked=asked,
        preprocessed=preprocessed,
    )
    for path in files.keys() - found.keys():  # included where a condition does not hold
        texts = {main: files[main]}
        found[path] = facts.read(
            path,
            files[path],
            texts,
            find=closure.find,
            define=macros,
            preprocessed=preprocessed,
        )
    return _Kept(digest, asked, macros, found, frozenset(preprocessed))
