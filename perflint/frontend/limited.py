"""`python -m perflint.frontend.limited BYTES COMMAND…`: a program with bounded memory.

The limits are set in a process of their own, for what runs between a fork and the program must not
be Python where there are threads. It leads a process group, which ends with the process that asked
for it, however that one ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from perflint.limits import limit_cpu, limit_memory

_POLL_SECONDS = 0.2
_CPU_SECONDS = 600.0  #: of each program; the one who asked watches the clock


def main() -> None:
    """Run the program to its end."""
    parent = os.getppid()
    limit_memory(int(sys.argv[1]))
    limit_cpu(_CPU_SECONDS)  # not what is left of the asking process's
    try:
        process = subprocess.Popen(sys.argv[2:])
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: error: {error.strerror}")
    while True:
        try:
            sys.exit(process.wait(_POLL_SECONDS))
        except subprocess.TimeoutExpired:
            if os.getppid() != parent:
                os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
