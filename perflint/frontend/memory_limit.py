"""`python -m perflint.frontend.memory_limit BYTES COMMAND…`: a program with bounded memory.

The limits are set in a process of their own, for what runs between a fork and the program must not
be Python where there are threads. It leads a process group, which ends with the process that asked
for it, however that one ends.
"""

from __future__ import annotations

import os
import signal
import sys

from perflint.base import processes
from perflint.base.limits import limit_cpu_for_good, limit_memory

_POLL_SECONDS = 0.2
_CPU_SECONDS = 600.0  #: of each program; the one who asked watches the clock


def main() -> None:
    """Run the program to its end."""
    parent = os.getppid()
    limit_memory(int(sys.argv[1]), hard=True)
    limit_cpu_for_good(_CPU_SECONDS)  # not what is left of the asking process's
    try:
        process = processes.start(
            processes.users(sys.argv[2:]), stdin=None, stdout=None, stderr=None
        )
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: error: {error.strerror}")
    while True:
        try:
            sys.exit(process.wait(_POLL_SECONDS))
        except processes.Late:
            if os.getppid() != parent:
                os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
