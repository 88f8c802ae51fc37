"""What `perflint why` is asked about: a file, a line of it, or a kernel in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.base.real_paths import is_file, is_folder, is_there
from perflint.base.records import dataclass
from perflint.base.user_error import UserError
from perflint.cli.discovery import SUFFIXES
from perflint.frontend.finder import SUFFIXES as SOURCES

_MOST_NAMED = 5
#: A place as reports print it ends with a column, which is of no use here.
_LINE = pattern(r"(.+?):(\d{1,9})(?::\d{1,9})?:?", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Target:
    """What is asked about."""

    path: Path
    line: int | None = None
    kernel: str = ""  #: as the user calls it


def parse(text: str) -> Target:
    """`FILE`, `FILE:LINE`, `FILE:LINE:COLUMN` or `FILE:KERNEL`. Raises UserError."""
    if is_file(Path(text)):
        return Target(_usable(Path(text)))
    if (found := _LINE.fullmatch(text)) is not None:
        return Target(_usable(Path(found[1])), int(found[2]))
    name, colon, kernel = _split(text)
    if not colon or not kernel:
        return Target(_usable(Path(text)))
    return Target(_usable(Path(name)), kernel=kernel)


def _split(text: str) -> tuple[str, str, str]:
    """A file and a kernel in it, whose name may hold `::`, in the first way that names a file."""
    single = [m.start() for m in re.finditer(r"(?<!:):(?!:)", text)]
    for at in single:
        if is_file(Path(text[:at])):
            return text[:at], ":", text[at + 1 :]
    at = single[0] if single else len(text)
    return text[:at], text[at : at + 1], text[at + 1 :]


def _usable(path: Path) -> Path:
    """A file that kernels may stand in. Raises UserError with the names that are near."""
    if is_file(path):
        if path.suffix.lower() in {*SUFFIXES, *SOURCES}:
            return path
        raise UserError(f"{path}: neither CUDA, nor a header, nor PTX")
    try:
        if is_folder(path):
            raise UserError(f"{path}: a folder; name a file of it, perflint why FILE:LINE")
        if is_there(path):
            raise UserError(f"{path}: not a regular file")
        there = sorted(p.name for p in path.parent.iterdir() if p.suffix.lower() in SOURCES)
    except (OSError, ValueError):
        there = []
    raise UserError(f"{path}: no such file{near(path.name, there)}")


def near(name: str, there: Iterable[str]) -> str:
    """What may have been meant, for the end of an error's line."""
    there = list(dict.fromkeys(there))
    meant = get_close_matches(name, there, n=_MOST_NAMED) or there[:_MOST_NAMED]
    more = f" and {len(there) - len(meant)} more" if len(there) > len(meant) else ""
    return f"; there is {', '.join(meant)}{more}" if meant else ""
