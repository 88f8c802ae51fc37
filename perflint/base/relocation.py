"""Where the paths that sources name lie on this machine.

On another machine the sources lie below a folder that stands for this one's root
(`perflint.cluster`).
"""

from __future__ import annotations

from pathlib import Path

_below = ""  #: the folder that stands for the root; "": the root itself


def stand_below(folder: str) -> None:
    """Let a folder (a real path) stand for the root of what is sent here, from now on."""
    global _below
    _below = folder


def folder() -> str:
    """The folder that stands for the root; "": the root itself."""
    return _below


def here(path: Path) -> Path:
    """Where a path that a source names lies on this machine; what lies here stays."""
    moves = _below and path.is_absolute() and not path.is_relative_to(_below)
    return Path(f"{_below}{path}") if moves else path
