"""Lines that the program's build leaves out though they compile: the `#else` of what it defines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from perflint.base.real_paths import real_path
from perflint.frontend.build_files import BuildMacro
from perflint.frontend.default_macros import default_macros
from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.language.preprocessor import left_out


def why_left_out(
    source: Path, root: Path, facts: Mapping[Path, SourceFacts], path: str, line: int
) -> str:
    """Why the build of a source does not compile a line of it or of a header; "" where it may."""
    file = facts.get(real_path(path))
    given = default_macros(source, root) if file is not None and "#" in file.text else {}
    name = _lines(file.text, frozenset(given)).get(line) if file is not None and given else None
    return _reason(given[name]) if name else ""


def _reason(macro: BuildMacro) -> str:
    return f"the build gives -D{macro.name} ({macro.path}:{macro.line}), which leaves this line out"


@lru_cache(maxsize=64)
def _lines(text: str, given: frozenset[str]) -> Mapping[int, str]:
    return left_out(text, given)
