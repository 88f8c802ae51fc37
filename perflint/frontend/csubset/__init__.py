"""The source-only front end: kernels of the C subset to PTX text, without a compiler."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perflint.frontend.model import Compilation

__all__ = ["compile_file"]


def compile_file(
    path: Path,
    *,
    arch: str = "sm_80",
    include: Sequence[Path] = (),
    define: Sequence[str] = (),
    root: Path | None = None,
) -> Compilation:
    """Lower a file's kernels to PTX as far as they are C; `perflint.frontend.compile_file`'s twin.

    What is outside the C subset is in `lost`, with the construct as the reason. Raises ValueError
    for an `arch` that is not one.
    """
    from perflint.frontend.csubset import driver as implementation

    return implementation.compile_file(path, arch=arch, include=include, define=define, root=root)
