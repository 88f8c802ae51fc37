"""Files of `key = value` lines that a program's options are kept in, and that its runs name."""

from __future__ import annotations

import os
from pathlib import Path

from perflint.base.patterns import pattern
from perflint.frontend.source.project.user_files import UnreadableError, read_text, words

_SUFFIXES = words(
    """
    .cfg .conf .config .csv .dat .data .def .in .ini .inp .input .nml .par .param .params .prm
    .properties .settings .txt
    """
)
_LARGEST = 64 << 10
_COMMENT = pattern(r"(?:^|(?<=\s))(?:#|;|//).*")
_OPTION = pattern(r"([\w.-]+)\s*=\s*([^\s=\"']+)")


def is_option_file(name: str) -> bool:
    """Whether a file of this name may keep options."""
    return os.path.splitext(name)[1] in _SUFFIXES  # noqa: PTH122


def options(named: str, folder: Path) -> tuple[str, ...] | None:
    """The options that a file in a folder has, each as `key=value`; None where it has more."""
    path = Path(os.path.normpath(folder / named))
    if not is_option_file(path.name) or not path.is_relative_to(folder):
        return None
    try:
        rows = read_text(path, _LARGEST).splitlines()
    except UnreadableError:
        return None
    found = [_OPTION.fullmatch(row) for line in rows if (row := _COMMENT.sub("", line).strip())]
    told = tuple(f"{option[1]}={option[2]}" for option in found if option is not None)
    return told if len(told) == len(found) else None
