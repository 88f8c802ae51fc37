"""The `perflint` command: start-up, and what becomes of errors."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from perflint.base import collector
from perflint.base.endings import TerminatedError
from perflint.base.frames import in_one_chunk
from perflint.base.streams import defused, guarded

#: What writing to a full disk or a closed descriptor fails with.
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 clean, 1 findings, 2 wrong use or an error of perflint.

    CPython notes an interrupt that leaves an `exec` of text (dataclasses use it), and ends by that
    signal however it was handled, unless another such `exec` comes to its end.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        with _terminable(), guarded():
            status = in_one_chunk(lambda: _run(arguments))
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = _interrupted()
    except TerminatedError:
        status = _ended("terminated", 143)  # 128 + SIGTERM
    except BrokenPipeError:
        _drop_output()  # the reader has gone
        status = 141  # 128 + SIGPIPE
    except OSError as error:
        if error.errno not in _FULL:
            status = _internal_error(error)
        else:
            _drop_output()
            status = _ended(f"cannot write: {error.strerror}", 2)
    except Exception as error:
        status = _interrupted() if _met_interrupt(error) else _internal_error(error)
    gc.freeze()  # what is left goes with the process: nobody looks for cycles in it
    if argv is None:
        _leave(status)
    sys.exit(status)


def _leave(status: int) -> None:
    """End the process, which was for this alone, before the interpreter is taken apart.

    To do so module by module is a thirtieth of what a small file takes. Threads are waited for.
    """
    others = set(threading.enumerate()) - {threading.main_thread()}
    if not all(thread.daemon for thread in others):
        return
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        from perflint import __version__

        print(f"perflint {__version__}")
        return 0
    collector.seldom_from_now_on()
    with collector.resting():
        from perflint.cli.commands import run

    return run(arguments)


@contextmanager
def _terminable() -> Iterator[None]:
    """Raise TerminatedError for the signals that ask for an end. In the main thread only."""

    def terminate(*_: object) -> None:
        raise TerminatedError

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [s for name in ("SIGTERM", "SIGHUP") if (s := getattr(signal, name, None))]
    before = {s: signal.getsignal(s) for s in signals}
    for s in signals:
        if before[s] != signal.SIG_IGN:  # nohup
            signal.signal(s, terminate)
    try:
        yield
    finally:
        for s in signals:
            signal.signal(s, before[s])


def _open_streams() -> None:
    """Give closed streams (`>&-`) somewhere to write to."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115


def _drop_output() -> None:
    """Let nothing more be written at exit, where an error would be shown again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ended(what: str, status: int) -> int:
    with suppress(OSError):
        print(f"perflint: {defused(what)}", file=sys.stderr, flush=True)
    return status


def _interrupted() -> int:
    exec("")  # so that the status stands: see `main`
    return _ended("interrupted", 130)  # 128 + SIGINT, as a shell reports it


def _met_interrupt(error: BaseException | None) -> bool:
    """Whether an error came up while an interrupt was handled, as in a library that cleans up."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _internal_error(error: Exception) -> int:
    if os.environ.get("PERFLINT_TRACEBACK"):
        import traceback

        traceback.print_exc()
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print(
        f"perflint: internal error: {defused(what)}; please report it, with the output of "
        "PERFLINT_TRACEBACK=1 perflint …",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    main()
