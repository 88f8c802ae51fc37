"""The `perflint` command: start-up, and what becomes of errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 clean, 1 findings, 2 wrong use or an error of perflint."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments in (["--version"], ["-V"]):
        from perflint import __version__

        print(f"perflint {__version__}")
        return
    try:
        from perflint.cli import run

        status = run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130  # 128 + SIGINT, as a shell reports it
    except BrokenPipeError:
        # the reader has gone; nothing may be written at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141  # 128 + SIGPIPE
    except Exception as error:
        status = _internal_error(error)
    sys.exit(status)


def _internal_error(error: Exception) -> int:
    if os.environ.get("PERFLINT_TRACEBACK"):
        import traceback

        traceback.print_exc()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print(
        f"perflint: internal error: {what}; please report it, with the output of "
        "PERFLINT_TRACEBACK=1 perflint …",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    main()
