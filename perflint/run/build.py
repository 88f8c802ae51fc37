"""`perflint build`: the user's own build, with the flags that `perflint run` needs."""

from __future__ import annotations

import os
from collections.abc import Sequence

from perflint.base import processes

#: The runtime as a library that can be replaced, and the lines that findings name.
FLAGS = "-cudart shared -lineinfo"


class BuildError(Exception):
    """The build could not be started."""


def build(command: Sequence[str]) -> int:
    """Run a build with nvcc's flags appended; its exit status. Raises BuildError."""
    before = os.environ.get("NVCC_APPEND_FLAGS", "")
    flags = f"{before} {FLAGS}".strip()
    more = {"NVCC_APPEND_FLAGS": flags}
    try:
        status = processes.finished(processes.users(command, more))
    except OSError as error:
        raise BuildError(f"{command[0]}: {error.strerror}") from error
    return 128 - status if status < 0 else status
