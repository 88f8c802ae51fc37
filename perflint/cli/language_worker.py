"""The process that checks texts for `perflint lsp`: it has all imported, and forks for each text.

`python -P -m perflint.cli.language_worker` reads frames of JSON (`perflint.frontend.nvrtc.worker`)
from its standard input, `{"id", "path", "text"}`, and answers each with `{"id", "findings",
"silent"}`: the findings, null where the text could not be checked, and by row what was suspected
and refuted. A newer text of the same file ends the check of the older one. A check is `perflint
check -` in the file's folder: the command line's settings, bounds and limits.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, BinaryIO

from perflint.base import processes
from perflint.base.records import dataclass
from perflint.cli.language_answer import NOTHING
from perflint.frontend.nvrtc.worker import read_frame, write_frame

_COMMAND = (
    *("check", "--output-format", "editor", "--show-unconfirmed", "--explain-silence"),
    *("--exit-zero", "--quiet", "-j1", "--color", "never"),
)
_LARGEST = 64 << 20  #: bytes of one answer


@dataclass
class _Check:
    """A text in work."""

    asked: Mapping[str, Any]
    child: int
    pipe: int  #: what the child prints
    printed: bytes = b""


class _Unbuffered:
    """A stream that reads no more than it is asked for: a buffer cannot be waited for."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def read(self, size: int) -> bytes:
        """So many bytes; fewer at the end."""
        parts = []
        while size > 0 and (data := os.read(self._descriptor, size)):
            parts.append(data)
            size -= len(data)
        return b"".join(parts)


def serve(asked: _Unbuffered, answers: BinaryIO) -> None:
    """Answer frames until there are no more."""
    waiting: deque[Mapping[str, Any]] = deque()
    check: _Check | None = None
    while True:
        if check is None and waiting:
            check = _begin(waiting.popleft())
        ready = wait([asked.fileno(), *([check.pipe] if check else [])])
        if check is not None and check.pipe in ready:
            data = os.read(check.pipe, 1 << 16)
            check.printed += data
            if not data or len(check.printed) > _LARGEST:
                _end(check)
                write_frame(answers, {"id": check.asked["id"], **_found(check)})
                check = None
        if asked.fileno() in ready:
            message = read_frame(asked)  # type: ignore[arg-type]
            if message is None:
                if check is not None:
                    _end(check)
                return
            waiting.append(message)
            for old in [w for w in waiting if w["path"] == message["path"]][:-1]:
                waiting.remove(old)
                write_frame(answers, {"id": old["id"], **NOTHING})
            if check is not None and check.asked["path"] == message["path"]:
                _end(check)
                write_frame(answers, {"id": check.asked["id"], **NOTHING})
                check = None


def _begin(asked: Mapping[str, Any]) -> _Check:
    ours, theirs = os.pipe()
    child = processes.fork()
    if child:
        os.close(theirs)
        return _Check(asked, child, ours)
    status = 1
    try:
        os.close(ours)
        _run(asked, theirs)
        status = 0
    finally:
        os._exit(status)


def _run(asked: Mapping[str, Any], out: int) -> None:
    """Be `perflint check -` in the file's folder, with the text on standard input."""
    from perflint.cli.commands import run
    from perflint.work.crew import end_with_parent

    end_with_parent(os.getppid())
    null = os.open(os.devnull, os.O_RDWR)
    for number, stream in ((0, null), (1, out), (2, null)):
        os.dup2(stream, number)
    path = Path(asked["path"])
    os.chdir(path.parent)
    data = str(asked["text"]).encode("utf-8", "replace")
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w")
    run([*_COMMAND, f"--stdin-filename={path.name}", "--", "-"])
    sys.stdout.flush()


def _end(check: _Check) -> None:
    with suppress(OSError):
        os.kill(check.child, signal.SIGKILL)  # of one that has ended, nothing is left to kill
    os.waitpid(check.child, 0)
    os.close(check.pipe)


def _found(check: _Check) -> dict[str, Any]:
    """The findings in the file itself; and by its rows, in a sentence each, what was refuted."""
    try:
        printed: dict[str, Any] = json.loads(check.printed)
    except ValueError:
        return NOTHING
    name = Path(check.asked["path"]).name
    silent: dict[str, list[str]] = {}
    for each in printed["silent"]:
        about = f" ({each['about']})" if each["about"] else ""
        said = f"{each['code']} {each['name']}{about}: {each['summary']}"
        for place in each["rows"]:
            here = silent.setdefault(str(place["row"]), []) if place["filename"] == name else []
            if said not in here:
                here.append(said)
    return {
        "findings": [each for each in printed["findings"] if each["filename"] == name],
        "silent": silent,
    }


def main() -> None:
    """Import what a check takes, then serve the standard streams."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the editor's end is the end of our input
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for module in (
        "perflint.cli.commands",
        "perflint.work.assembly",
        "perflint.work.pipeline",
        "perflint.report.editor",
        "perflint.cli.triage",
        "perflint.frontend.nvrtc.cuda_file",
    ):
        import_module(module)
    from perflint.lint.rulebook import rules
    from perflint.lint.ruleset import load

    load(rules())
    with suppress(OSError):
        serve(_Unbuffered(os.dup(0)), answers)


if __name__ == "__main__":
    main()
