"""The PTX front end: a `.ptx` file as it is, with the facts of the sources that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from perflint.base import bounds
from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file
from perflint.base.relocation import here
from perflint.frontend.finder import SUFFIXES
from perflint.frontend.mangling import origin_of
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.assemble import entry_names, failed
from perflint.frontend.python.entries import unescape
from perflint.frontend.python.facts import python_sources
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.project.user_files import LARGEST_PTX, UnreadableError, read_text
from perflint.frontend.translation_unit import read_facts

#: The largest PTX that is read: cuBLAS-sized modules are no linter's business.
_FILE = pattern(r'^[^\S\n]*\.file\s+\d+\s+"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)


def read_ptx(path: Path, *, arch: str = "sm_80") -> Compilation:
    """A `.ptx` file as it is, with the facts of those of its sources that can be read."""
    try:
        text = read_text(path, LARGEST_PTX)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    if not text.strip():
        return failed(path, "the file is empty", arch)
    text = with_resolved_files(path, text)
    entries = {name: origin_of(name) for name in entry_names(text)}
    python = python_sources(path, text, entries)
    facts = {**dict(source_facts(path, text)), **python.facts}
    return Compilation(path, text, facts, {**entries, **python.origins}, arch=arch)


def with_resolved_files(path: Path, text: str) -> str:
    """The text with relative names in `.file`, which are relative to the PTX file, made absolute.

    Names of files that are not there are left.
    """

    def resolved(match: re.Match[str]) -> str:
        named = Path(unescape(match[1]))
        file = here(named) if named.is_absolute() else path.absolute().parent / named
        if file == named or not bounds.allowed(file) or not is_file(file):
            return match[0]
        escaped = str(file).replace("\\", "\\\\").replace('"', '\\"')
        return match[0].replace(f'"{match[1]}"', f'"{escaped}"')

    return _FILE.sub(resolved, text)


def source_facts(path: Path, text: str) -> Iterator[tuple[Path, SourceFacts]]:
    """The facts of the user's sources that `.file` directives name and that are still there."""
    for name in dict.fromkeys(_FILE.findall(text)):
        named = Path(unescape(name))
        if named.suffix.lower() not in SUFFIXES:
            continue
        file = here(named) if named.is_absolute() else path.absolute().parent / named
        try:
            code = read_text(file)
        except UnreadableError:
            continue
        # Toolkit headers are named too; only kernels' own files and those with launches tell.
        if "__global__" in code and not re.search(r"/(?:crt|cuda|cccl|cooperative_groups)/", name):
            yield from read_facts(file).items()
