"""What a build gives: `-DNAME=VALUE` and `-I` words of the Makefile or CMake file near a source.

Build files are read as text and nothing of them is run: a word is a word, whichever of the build's
conditions it stands under. So they count only where a source does not do without, and what is taken
from them is said.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base import bounds
from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file, is_folder
from perflint.base.records import dataclass
from perflint.frontend.cmake_conditions import without_off_blocks
from perflint.frontend.source.project.user_files import UnreadableError, read_text

#: Files that build, by name and by suffix; the first of a folder counts first.
NAMES = (
    *("Makefile", "makefile", "GNUmakefile", "Makefile.am", "Makefile.in", "CMakeLists.txt"),
    *("setup.py", "meson.build", "BUILD", "BUILD.bazel", "SConstruct"),
)
SUFFIXES = (".mk", ".cmake", ".mak", ".make", ".sh", ".py")
#: What a makefile may include: `include make.$(MACHINE)`.
_PARTS = ("make.", "makefile.", "config.", "options.")
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_INCLUDES = pattern(r"^(?:-|s)?include[ \t]+([^\n]+)$", re.MULTILINE)
#: Folders upwards in which they are looked for before the root's, files of one, and bytes of each.
_LEVELS, _MOST, _LARGEST = 4, 12, 256 << 10

_COMMENT = pattern(r"(?<![\\$\w\"'])#.*$", re.MULTILINE)
_FLAG = pattern(
    r"(?<![\w-])-D[ \t]*([A-Za-z_]\w*)"
    r"(?:=(\\[\"'][^\"'\n]*\\[\"']|[\"'][^\"'\n]*[\"']|[^\s\"',;\\]*))?"
)
#: Folders of headers, and the build file's own folder as make and CMake call it.
_INCLUDED = pattern(r"(?<![\w-])-I[ \t]*([^\s\"',;]+)")
_INCLUDED_LIST = pattern(
    r"\b(?:target_include_directories|include_directories)\s*\(([^()]*)\)", re.I
)
_HERE = pattern(r"\$\{CMAKE_CURRENT_(?:SOURCE|LIST)_DIR\}|\$\((?:CURDIR|PWD)\)|\$PWD")
#: CMake's ways to say it without -D.
_LISTED = pattern(
    r"\b(?:target_compile_definitions|add_compile_definitions|add_definitions)\s*\(([^()]*)\)", re.I
)
_WORD = pattern(r"(?:-D)?([A-Za-z_]\w*)(?:=(\S*))?\Z")
_SCOPES = frozenset({"PUBLIC", "PRIVATE", "INTERFACE"})
#: setuptools' way.
_PAIR = pattern(r"\(\s*[\"']([A-Za-z_]\w*)[\"']\s*,\s*(?:[\"']([^\"'\n]*)[\"']|None|(\w+))\s*\)")
#: A variable of make's, CMake's or Python's in a value, and where it is set.
_VARIABLE = pattern(r"\$\((\w+)\)|\$\{(\w+)\}|\$(\w)|\{(\w+)\}")
_SET = (
    r"^[ \t]*(?:export[ \t]+)?{0}[ \t]*[:?]?=[ \t]*([^\s#]+)|\bset[ \t]*\([ \t]*{0}[ \t]+([^\s)]+)"
    r"|\boption[ \t]*\([ \t]*{0}\s+\"[^\"]*\"\s+(\w+)"
)
#: CMake's ways to change the text of a variable in its place.
_CHANGED = (
    r"\bstring[ \t]*\([ \t]*(?:(TOLOWER|TOUPPER)|(?:REGEX[ \t]+)?REPLACE[ \t]+\"\^?(\w+)\"[ \t]+"
    r"\"(\w*)\")[ \t]+(?:\"?\$\{{{0}\}}\"?[ \t]+{0}|{0}[ \t]+\"?\$\{{{0}\}}\"?)[ \t]*\)"
)
#: How many variables may stand for each other.
_DEEP = 8
#: What a macro may stand for: a number, a word, an expression of such. No text of a program.
_VALUE = pattern(r"[\w.+\-*/()<>: ]*\Z")


#: As nvcc spells it; `-ffast-math` may be for the host's compiler alone.
_FAST_MATH = pattern(r"(?<![\w-])--?use_fast_math\b")


#: The standard of CUDA code: CMake's words, or nvcc's flag beside its name.
_STANDARD = pattern(
    r"\b(?:CMAKE_)?CUDA_STANDARD\s+(\d\d)|\bcuda_std_(\d\d)\b"
    r"|(?:(?i:nvcc)|CUDA)[^\n]*?-{1,2}std[= ](?:c|gnu)\+\+(\d\d|2[ab])"
)
#: A list of nvcc's flags, as setuptools is given them.
_FLAGS_OF_NVCC = pattern(
    r"\b(?i:nvcc)\w*[\"']?\s*(?::|\+?=)\s*(?:\w+\(\s*)?\[[^\]]*?-std=c\+\+(\d\d|2[ab])"
)
_DRAFTS = {"2a": 20, "2b": 23}


@dataclass(frozen=True)
class BuildMacro:
    """A macro and where it is given."""

    name: str
    value: str  #: "1" where none is given, as compilers take it
    path: Path | None = None  #: of the build file; None: what any build of CUDA code may give
    line: int = 0

    @property
    def definition(self) -> str:
        """As the operand of -D."""
        return f"{self.name}={self.value}"

    @property
    def reason(self) -> str:
        """Why it is taken to have its value."""
        if self.path is None:
            return "as a build of CUDA code says"
        return f"as {self.path}:{self.line} says"


def build_macros(source: Path, root: Path) -> Mapping[str, BuildMacro]:
    """The macros that the build files around a source give, the nearest's first value of each."""
    found: dict[str, BuildMacro] = {}
    stamps = _stamps(source, root)
    for place, (path, changed) in enumerate(stamps):
        for macro in _macros(path, changed, stamps[place + 1 :]):
            found.setdefault(macro.name, macro)
    return found


def build_variable(name: str, source: Path, root: Path) -> str | None:
    """What the build files around a file set a variable to, the nearest that does; None if none.

    What CMake sets under an option that is off counts for nothing.
    """
    return _known(f"${{{name}}}", *_on(_stamps(source, root)))


@lru_cache(maxsize=64)
def _on(stamps: tuple[tuple[Path, int], ...]) -> tuple[str, ...]:
    """The texts of build files, of CMake's what is on."""
    texts = [text_of(*stamp) for stamp in stamps]

    def value(name: str) -> str | None:
        return _known(f"${{{name}}}", *texts)

    cmake = [path.name == "CMakeLists.txt" or path.suffix == ".cmake" for path, _ in stamps]
    return tuple(
        without_off_blocks(text, value) if is_cmake else text
        for text, is_cmake in zip(texts, cmake, strict=True)
    )


def _stamps(source: Path, root: Path) -> tuple[tuple[Path, int], ...]:
    """The build files around a source, the nearest first, and when each changed."""
    paths = [path for folder in _folders(source, root) for path in _build_files(folder)]
    stamps = [(path, path.stat().st_mtime_ns) for path in paths]
    given = [[stamp, *_included_by(stamp, root)] for stamp in stamps]
    return tuple(dict.fromkeys(stamp for each in given for stamp in each))


def _included_by(stamp: tuple[Path, int], root: Path) -> Iterator[tuple[Path, int]]:
    """The files in a project that a makefile includes."""
    path, _ = stamp
    if path.name not in _MAKEFILES or "include" not in (text := text_of(*stamp)):
        return
    for listed in _INCLUDES.findall(text):
        for name in filter(None, (_known(word, text) for word in listed.split())):
            part = Path(os.path.normpath(path.parent / name))
            inside = part.is_relative_to(root) and bounds.allowed(part)
            if inside and is_build_file(part.name) and is_file(part):
                yield part, part.stat().st_mtime_ns


def build_folders(source: Path, root: Path) -> tuple[Path, ...]:
    """The folders in a project that the build files around a source give with -I."""
    return _given_folders(_stamps(source, root), root, bounds.current())


@lru_cache(maxsize=64)
def _given_folders(
    stamps: tuple[tuple[Path, int], ...], root: Path, _bound: bounds.Bound | None
) -> tuple[Path, ...]:
    """Of (a build file, when that changed); asked for each header not found."""
    found: dict[Path, None] = {}
    for path, changed in stamps:
        for written in _included(path, changed):
            given = Path(os.path.normpath(path.parent / written))
            if given.is_relative_to(root) and bounds.allowed(given) and is_folder(given):
                found[given] = None
    return tuple(found)


def fast_math(source: Path, root: Path) -> tuple[Path, int] | None:
    """Where the nearest folder with build files says `--use_fast_math`: the file and the line.

    What stands further up is often about other programs.
    """
    places = (
        (path, _fast_math_line(path, changed)) for path, changed in nearest_files(source, root)
    )
    return next(((path, line) for path, line in places if line), None)


def cuda_standard(source: Path, root: Path) -> int:
    """The newest standard that the nearest build file which says one compiles CUDA code by.

    17 for C++17; 0 where none says it.
    """
    return next(filter(None, (_standard(*stamp) for stamp in _stamps(source, root))), 0)


@lru_cache(maxsize=256)
def _standard(path: Path, changed: int) -> int:
    text = text_of(path, changed)
    if "std" not in text and "STANDARD" not in text:
        return 0
    found = [next(filter(None, m.groups())) for m in _STANDARD.finditer(text)]
    found += _FLAGS_OF_NVCC.findall(text)
    return max((_DRAFTS.get(each) or int(each) for each in found), default=0)


def nearest_files(source: Path, root: Path) -> tuple[tuple[Path, int], ...]:
    """The build files of the nearest folder that has any, and when each changed."""
    found = next(filter(None, map(_build_files, _folders(source, root))), ())
    return tuple((path, path.stat().st_mtime_ns) for path in found)


@lru_cache(maxsize=256)
def text_of(path: Path, _changed: int) -> str:
    """A build file's text with its comments blanked; "" where it cannot be read."""
    try:
        return _COMMENT.sub(lambda m: " " * len(m[0]), read_text(path, _LARGEST))
    except UnreadableError:
        return ""


@lru_cache(maxsize=256)
def _fast_math_line(path: Path, changed: int) -> int:
    text = text_of(path, changed)
    found = _FAST_MATH.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _folders(source: Path, root: Path) -> Iterator[Path]:
    """The folder of a source, the next above it within the project, and the project's own."""
    above = (source.parent, *source.parent.parents)
    for level, folder in enumerate(above):
        if not (folder.is_relative_to(root) and bounds.allowed(folder)):
            break
        if level < _LEVELS or folder == root:
            yield folder


def is_build_file(name: str) -> bool:
    """Whether a file of this name may give macros, by itself or where a makefile includes it."""
    return _gives(name) or name.lower().startswith(_PARTS)


def _gives(name: str) -> bool:
    return name in NAMES or os.path.splitext(name)[1] in SUFFIXES  # noqa: PTH122


@lru_cache(maxsize=256)
def _build_files(folder: Path) -> tuple[Path, ...]:
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if _gives(e.name) and e.is_file()]
    except OSError:
        return ()
    order = {name: place for place, name in enumerate(NAMES)}
    names.sort(key=lambda name: (order.get(name, len(NAMES)), name))
    return tuple(folder / name for name in names[:_MOST])


@lru_cache(maxsize=256)
def _macros(
    path: Path, changed: int, around: tuple[tuple[Path, int], ...]
) -> tuple[BuildMacro, ...]:
    """Those of a build file. Its variables may be set in those `around` it, the nearest first."""
    text = text_of(path, changed)
    texts = [text, *(text_of(*stamp) for stamp in around)]
    given = ((name, _known(value, *texts), at) for name, value, at in _written(text))
    return tuple(
        BuildMacro(name, value, path, text.count("\n", 0, at) + 1)
        for name, value, at in given
        if value is not None
    )


@lru_cache(maxsize=256)
def _included(path: Path, changed: int) -> tuple[str, ...]:
    """The operands of -I, and of CMake's words for it, that a build file has."""
    text = text_of(path, changed)
    written = _INCLUDED.findall(text)
    for call in _INCLUDED_LIST.finditer(text):
        written += [w for w in call[1].split() if w not in _SCOPES]
    known = (_known(_HERE.sub(".", word.strip("\"'")), text) for word in written)
    return tuple(dict.fromkeys(k for k in known if k))


def _written(text: str) -> Iterator[tuple[str, str, int]]:
    """(name, value as written, offset)."""
    for match in _FLAG.finditer(text):
        yield match[1], match[2] if match[2] is not None else "1", match.start()
    for call in _LISTED.finditer(text):
        words = call[1].split()
        first = call[0].lower().startswith("target")  # the target's name
        for word in words[first:]:
            if word not in _SCOPES and (plain := _WORD.match(word.strip("\"'"))):
                yield plain[1], plain[2] if plain[2] is not None else "1", call.start()
    for match in _PAIR.finditer(text):
        if "define_macros" in text:
            yield match[1], match[2] or match[3] or "1", match.start()


def _known(value: str, *texts: str, left: int = _DEEP) -> str | None:
    """A value with variables replaced by what the first text that does so sets them to most often.

    None if that is unknown.
    """
    for _ in range(left):
        variable = _VARIABLE.search(value)
        if variable is None:
            break
        name = re.escape(next(g for g in variable.groups() if g))
        setting = re.compile(_SET.format(name), re.MULTILINE)
        found = next(((t, each) for t in texts if (each := [*setting.finditer(t)])), None)
        if found is None:
            return None
        text, settings = found
        given: str | None = _most_often(settings)
        if changes := list(re.finditer(_CHANGED.format(name), text)):
            given = _known(given or "", *texts, left=left - 1)
            if given is None:
                return None
            given = _changed(given, changes)
        value = value[: variable.start()] + (given or "") + value[variable.end() :]
    value = value.replace("\\", "").strip("\"' ")
    if value.count(")") > value.count("("):  # of the call that it stands in
        value = value.rstrip(")")
    return value if _VALUE.match(value) else None


def _most_often(settings: Iterable[re.Match[str]]) -> str:
    """What a variable is set to in most places, of equals the first: a script sets a small size to
    be checked with, and the program's own in each of its other ways.
    """
    given = (next(group for group in each.groups() if group) for each in settings)
    return Counter(each.strip("\"'") for each in given).most_common(1)[0][0]


def _changed(value: str, changes: Iterable[re.Match[str]]) -> str:
    """A variable's value after CMake's changes to it."""
    for case, old, new in (change.groups() for change in changes):
        if case:
            value = value.lower() if case == "TOLOWER" else value.upper()
        else:
            value = value.replace(old, new)
    return value
