"""Where reports go: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.cli.discovery import PathError
from perflint.cli.settings import Settings
from perflint.lint.options import Progress, silent
from perflint.report.context import one_line

TEXTS = ("full", "concise")
#: Formats that show no edit: where no other is asked for, edits that may mend are not tried.
WITHOUT_FIXES = frozenset({*TEXTS, "github", "gitlab", "junit", "markdown"})
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
    check_links(file)


def check_links(file: Path) -> None:
    """Raise PathError for a file that a link of the tree places outside of it."""
    if link := bounds.leads_out(file):
        raise PathError(f"{file}: the link {link} leads out of the project; nothing is written")


def write(file: Path, text: str | bytes) -> None:
    """Write a file beside its place and move it there, so that nobody ever sees half of it.

    What is no regular file (`/dev/stdout`) is written as it is. Raises PathError.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", errors="backslashreplace")
    check_links(file)
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


#: Seconds that a run may take before it says how far it is, and between two refreshments.
_PATIENCE, _PAUSE = 1.0, 0.1


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """A bar on stderr, if that is a terminal, once a run takes longer than a moment."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.end()


class _Bar:
    """The files that are finished, and the kernel in work."""

    def __init__(self) -> None:
        self._due = time.monotonic() + _PATIENCE
        self._what = ""
        self._shown: Any = None  #: rich's Progress, imported when there is something to show

    def __call__(self, done: int, total: int, what: str) -> None:
        self._what = what or self._what
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _PAUSE
        if self._shown is None:
            self._begin(total)
        self._shown.update(self._task, completed=done, total=total, what=one_line(self._what))
        self._shown.refresh()

    def _begin(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Shown
        from rich.table import Column

        what = TextColumn(
            "{task.fields[what]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis"),
        )
        # refreshed by hand: a thread that does it would be in the way of forking
        self._shown = Shown(
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            what,
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._shown.add_task("", total=total, what="")
        self._shown.start()

    def end(self) -> None:
        """Leave the terminal as it was."""
        if self._shown is not None:
            self._shown.stop()


def say(text: str) -> None:
    """A line for people, on stderr."""
    print(one_line(text), file=sys.stderr)
