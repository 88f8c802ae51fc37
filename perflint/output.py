"""Where reports go: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from perflint.discovery import PathError
from perflint.options import Progress, silent
from perflint.report.context import one_line
from perflint.settings import Settings

TEXTS = ("full", "concise")
Output = tuple[str, Path | None]  #: a format, and the file it goes to


def outputs(settings: Settings) -> tuple[Output, ...]:
    """Every format and where it goes. Raises PathError if two go to the same place."""
    given = settings.output_format or (("full", None),)
    if settings.output_file and all(file for _, file in given):
        raise PathError(f"{settings.output_file}: every format already has a file of its own")
    found = [(name, file or settings.output_file) for name, file in given]
    for index, (_, file) in enumerate(found):
        if file in [other for _, other in found[:index]]:
            where = f"the file {file}" if file else "standard output"
            raise PathError(
                f"two reports cannot both go to {where}; use --output-format FORMAT=FILE"
            )
        if file:
            check_place(file)
    if settings.statistics and not any(name in TEXTS for name, _ in found):
        raise PathError("--statistics needs the format full or concise")
    return tuple(found)


def check_place(file: Path) -> None:
    """Raise PathError for a file that could not be written."""
    if not file.absolute().parent.is_dir():
        raise PathError(f"{file}: there is no directory {file.parent}")
    if file.is_dir():
        raise PathError(f"{file}: is a directory")


def write(file: Path, text: str) -> None:
    """Write a file beside its place and move it there, so that nobody ever sees half of it.

    What is no regular file (`/dev/stdout`) is written as it is. Raises PathError.
    """
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        if file.exists() and not file.is_file():
            file.write_bytes(data)
            return
        _replace(Path(os.path.realpath(file)), data)
    except OSError as error:
        raise PathError(f"{file}: {error.strerror}") from error


def _replace(file: Path, data: bytes) -> None:
    """The permissions are those of the file replaced, or of a new one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        Path(name).chmod(file.stat().st_mode & 0o7777 if file.exists() else 0o666 & ~_umask())
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def colored(choice: str, *, to_file: bool) -> bool:
    """Whether to colour: as told, else by NO_COLOR, FORCE_COLOR, else on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return not to_file and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """A line on stderr that says what is in work, if stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    # refreshed by hand: a thread that does it would be in the way of forking
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:

        def show(done: int, total: int, what: str) -> None:
            text = Text(f"{done}/{total} {one_line(what)}", no_wrap=True, overflow="ellipsis")
            live.update(text, refresh=True)

        yield show


def say(text: str) -> None:
    """A line for people, on stderr."""
    print(one_line(text), file=sys.stderr)
