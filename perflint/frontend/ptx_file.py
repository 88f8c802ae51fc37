"""The PTX front end: a `.ptx` file as it is, with the facts of the sources that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from perflint.frontend.finder import SUFFIXES
from perflint.frontend.mangling import origin_of
from perflint.frontend.model import Compilation, SourceFacts
from perflint.frontend.nvrtc.assemble import entry_names, failed
from perflint.frontend.source.reading import UnreadableError, read_text
from perflint.frontend.translation_unit import read_facts

#: The largest PTX that is read: cuBLAS-sized modules are no linter's business.
LARGEST_PTX = 64 << 20
_FILE = re.compile(r'^\s*\.file\s+\d+\s+"((?:[^"\\\n]|\\.)*)"', re.MULTILINE)


def read_ptx(path: Path, *, arch: str = "sm_80") -> Compilation:
    """A `.ptx` file as it is, with the facts of those of its sources that can be read."""
    try:
        text = read_text(path, LARGEST_PTX)
    except UnreadableError as error:
        return failed(path, f"the file cannot be read: it {error}", arch)
    if not text.strip():
        return failed(path, "the file is empty", arch)
    entries = {name: origin_of(name) for name in entry_names(text)}
    return Compilation(path, text, dict(source_facts(path, text)), entries, arch=arch)


def source_facts(path: Path, text: str) -> Iterator[tuple[Path, SourceFacts]]:
    """The facts of the user's sources that `.file` directives name and that are still there."""
    for name in dict.fromkeys(_FILE.findall(text)):
        named = Path(name.replace('\\"', '"').replace("\\\\", "\\"))
        if named.suffix.lower() not in SUFFIXES:
            continue
        file = named if named.is_absolute() else path.absolute().parent / named
        try:
            code = read_text(file)
        except UnreadableError:
            continue
        # Toolkit headers are named too; only kernels' own files and those with launches tell.
        if "__global__" in code and not re.search(r"/(?:crt|cuda|cccl|cooperative_groups)/", name):
            yield from read_facts(file).items()
