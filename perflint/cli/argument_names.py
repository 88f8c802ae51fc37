"""A path is never an option, nor a command: names that others chose must not steer perflint.

pre-commit, xargs and shells' patterns put names of a tree on the command line, where a file called
`--nvcc=.` in front of `/x.cu` would be an option that names a program.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from perflint.base.user_error import UserError

#: Commands that run what they are given; it has options of its own.
RUNNERS = frozenset({"build", "numba", "run", "triton"})


def refuse_names(arguments: Sequence[str]) -> None:
    """Raise UserError for an argument that would be taken for something else than its path."""
    if not arguments:
        return
    before = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    if arguments[0] in RUNNERS:
        if len(before) == len(arguments) and Path(arguments[0]).is_file():
            raise UserError(
                f"{arguments[0]}: is a command, and a file here; `perflint {arguments[0]} -- …` is "
                f"the command, `perflint check ./{arguments[0]}` looks at the file"
            )
        words = enumerate(before[1:], 1)
        before = before[: next((n for n, word in words if not word.startswith("-")), len(before))]
    for argument in (*before, *(["--"] if "--" in arguments else [])):
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            raise UserError(
                f"{argument}: is a file here, and looks like an option; write ./{argument} for the "
                "file, or rename it"
            )
