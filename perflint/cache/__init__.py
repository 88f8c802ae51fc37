"""Results of earlier runs, kept by the contents of everything that they may depend on.

What a file's check may read is not known before it has run: headers are looked for by name, and
fragments by who includes them, in the whole project; launches are taken from all files given. So a
result's key holds a digest of every source that `perflint.base.bounds` lets the run read (`tree`),
of all that was asked for and of perflint and its compiler themselves (`key`). An edit of any source
of the project makes every key another one; what is as it was is found again (`store`).

Whatever is wrong with the store, a full disk included, only means that a file is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.cache.kept import Kept

if TYPE_CHECKING:
    from perflint.lint.options import CheckOptions
    from perflint.lint.translation_units import Unit


def opened(units: Sequence[Unit], options: CheckOptions, root: Path) -> Kept:
    """The results kept for a run; `root` is the folder that holds all files given."""
    if options.cache is None or not units:
        return Kept()
    from perflint.cache.run import of_run

    return of_run(units, options, root, options.cache) or Kept()
