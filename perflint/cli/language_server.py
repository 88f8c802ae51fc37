"""`perflint lsp`: findings in an editor, with quick fixes, and the evidence under the cursor.

Each text is checked by `perflint check -` in a process of its own (`language_worker`), soon after
one stops typing; a newer text ends the check of an older one. So the editor has the command line's
settings, bounds and limits, and nothing that a source does can end the server. Until then the
findings on lines that did not change stand at their new places.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from threading import Thread
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from perflint import __version__
from perflint.base import processes
from perflint.base.records import dataclass
from perflint.cli import language_hover, line_diff
from perflint.cli.discovery import SUFFIXES
from perflint.cli.language_answer import NOTHING
from perflint.frontend.nvrtc.worker import read_frame, write_frame

MOST_SILENT = 6  #: suspicions of a line without a finding that a hover tells
WAIT_SECONDS = 0.25  #: after the last key, before a check begins
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


@dataclass
class Checked:
    """What is known of one document."""

    lines: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)  #: as `--output-format editor`
    #: of the text that was checked last: its lines, and by row what was suspected and refuted
    seen: list[str] = field(default_factory=list)
    silent: dict[str, list[str]] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None


class Checker:
    """The process that checks texts, started with the first one and again should it die."""

    def __init__(self) -> None:
        self._process: processes.Process | None = None
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0

    async def check(self, path: Path, text: str) -> dict[str, Any]:
        """The findings in a text under a file's name, and what was refuted (`language_worker`).

        The findings are None if it could not be checked, and once a newer text is.
        """
        loop = asyncio.get_running_loop()
        self._number += 1
        answer: asyncio.Future[dict[str, Any]] = loop.create_future()
        self._asked[self._number] = answer
        try:
            process = self.start(loop)
            assert process.stdin is not None
            message = {"id": self._number, "path": str(path.absolute()), "text": text}
            write_frame(process.stdin, message)  # type: ignore[arg-type]
        except OSError:
            self._lost()
        return await answer

    def start(self, loop: asyncio.AbstractEventLoop) -> processes.Process:
        """The process, started if there is none."""
        if self._process is None or self._process.poll() is not None:
            self._lost()
            self._process = processes.start(
                processes.own("perflint.cli.language_worker"),
                stdin=processes.PIPE,
                stdout=processes.PIPE,
            )
            reader = Thread(target=self._read, args=(self._process, loop), daemon=True)
            reader.start()
        return self._process

    def _read(self, process: processes.Process, loop: asyncio.AbstractEventLoop) -> None:
        """Hand on what the process answers, until it ends; in a thread of its own."""
        assert process.stdout is not None
        with contextlib.suppress(OSError, ValueError, RuntimeError):  # the loop may be closed
            while (message := read_frame(process.stdout)) is not None:  # type: ignore[arg-type]
                loop.call_soon_threadsafe(self._took, message.pop("id"), message)
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._lost, process)

    def _took(self, number: int, found: dict[str, Any]) -> None:
        answer = self._asked.pop(number, None)
        if answer is not None and not answer.done():
            answer.set_result(found)

    def _lost(self, process: processes.Process | None = None) -> None:
        """Answer what was asked of a process that is gone."""
        if process is self._process or process is None:
            for number in [*self._asked][: None if process else -1]:
                self._took(number, NOTHING)

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            processes.end(self._process)


def moved(
    findings: Sequence[dict[str, Any]], old: Sequence[str], new: Sequence[str]
) -> list[dict[str, Any]]:
    """The findings whose lines stand in another text too, at their places there."""
    at = dict(line_diff.matches(old, new))
    out = []
    for finding in findings:
        first, last = finding["location"]["row"] - 1, finding["end_location"]["row"] - 1
        rows = range(first, last + 1)
        if first in at and all(at.get(row) == at[first] + row - first for row in rows):
            by = at[first] - first
            ends = {
                name: {**finding[name], "row": finding[name]["row"] + by}
                for name in ("location", "end_location")
            }
            out.append({**finding, **ends, "fix": finding["fix"] if by == 0 else None})
    return out


def place(finding: dict[str, Any], lines: Sequence[str]) -> lsp.Range:
    """A finding's place as an editor counts: from 0, columns in UTF-16 units."""
    return lsp.Range(
        _position(finding["location"], lines), _position(finding["end_location"], lines)
    )


def _position(location: dict[str, int], lines: Sequence[str]) -> lsp.Position:
    row, column = location["row"], location["column"]
    before = lines[row - 1][: column - 1] if row <= len(lines) else ""
    wide = len(before.encode("utf-16-le", "surrogatepass")) // 2
    return lsp.Position(row - 1, wide + max(0, column - 1 - len(before)))


def diagnostic(finding: dict[str, Any], lines: Sequence[str]) -> lsp.Diagnostic:
    """A finding as an editor shows it."""
    url = finding["url"]
    return lsp.Diagnostic(
        place(finding, lines),
        finding["message"],
        severity=_SEVERITIES[finding["level"]],
        code=finding["code"],
        code_description=lsp.CodeDescription(url) if url else None,
        source="perflint",
    )


def silence(checked: Checked, now: Sequence[str], line: int) -> str:
    """Why nothing is said of a line of a text, in Markdown; "" where nothing was suspected.

    The line is looked up in the text that was checked, where that has it.
    """
    if not checked.silent:
        return ""
    at = {new: old for old, new in line_diff.matches(checked.seen, now)}
    said = checked.silent.get(str(at[line] + 1), []) if line in at else []
    listed = [f"- {language_hover.plain(each)}" for each in said[:MOST_SILENT]]
    if len(said) > MOST_SILENT:
        listed.append(f"- and {len(said) - MOST_SILENT} more: `perflint why`")
    return "\n".join(["perflint looked at this line:", "", *listed]) if listed else ""


def actions(finding: dict[str, Any], uri: str, lines: Sequence[str]) -> list[lsp.CodeAction]:
    """The fix that a finding carries, and the comment that silences it."""
    shown = diagnostic(finding, lines)
    found = []
    if finding["fix"]:
        edits = [
            lsp.TextEdit(place(edit, lines), edit["content"]) for edit in finding["fix"]["edits"]
        ]
        found.append(_action(finding["fix"]["message"], uri, edits, shown))
    if (edit := _silencing(finding, uri, lines)) is not None:
        found.append(_action(f"Silence {finding['code']} here", uri, [edit], shown))
    return found


def _silencing(finding: dict[str, Any], uri: str, lines: Sequence[str]) -> lsp.TextEdit | None:
    from perflint.cli.insertion import commented
    from perflint.lint.rulebook import rules

    row = finding["location"]["row"]
    changed = commented("\n".join(lines), row, {finding["code"]}, "", rules(), uri.endswith(".py"))
    if changed is None:
        return None
    old = lines[row - 1]
    end = lsp.Position(row - 1, len(old.encode("utf-16-le", "surrogatepass")) // 2)
    return lsp.TextEdit(lsp.Range(lsp.Position(row - 1, 0), end), changed)


def _action(
    title: str, uri: str, edits: list[lsp.TextEdit], shown: lsp.Diagnostic
) -> lsp.CodeAction:
    return lsp.CodeAction(
        title[:1].upper() + title[1:],
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[shown],
        edit=lsp.WorkspaceEdit(changes={uri: edits}),
    )


def server(wait: float = WAIT_SECONDS) -> LanguageServer:
    """The server, before it is started."""
    made = LanguageServer("perflint", __version__)
    known: dict[str, Checked] = {}
    drawing = {"pictures": False}  # whether the client draws them in hovers
    checker = Checker()
    made.checker = checker  # type: ignore[attr-defined]

    async def look(uri: str, after: float) -> None:
        await asyncio.sleep(after)
        path = Path(to_fs_path(uri) or "")
        if path.suffix.lower() not in SUFFIXES or not path.parent.is_dir():
            return
        document = made.workspace.get_text_document(uri)
        text, version = document.source, document.version
        found = await checker.check(path, text)
        if found["findings"] is not None and uri in known:
            known[uri].seen, known[uri].silent = text.split("\n"), found["silent"]
            show(uri, text, found["findings"], version)

    def show(uri: str, text: str, findings: list[dict[str, Any]], version: int | None) -> None:
        known[uri].lines, known[uri].findings = text.split("\n"), findings
        made.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(
                uri, [diagnostic(f, known[uri].lines) for f in findings], version
            )
        )

    def begin(uri: str, after: float = 0.0) -> None:
        checked = known.setdefault(uri, Checked())
        if checked.task is not None:
            checked.task.cancel()
        checked.task = asyncio.ensure_future(look(uri, after))

    @made.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        client = params.client_info.name if params.client_info else ""
        drawing["pictures"] = language_hover.drawn_by(client, params.initialization_options)

    @made.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        begin(params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if (before := known.get(uri)) is not None and before.findings:
            document = made.workspace.get_text_document(uri)
            still = moved(before.findings, before.lines, document.source.split("\n"))
            show(uri, document.source, still, document.version)
        begin(uri, wait)

    @made.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        begin(params.text_document.uri)

    @made.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        checked = known.pop(uri, None)
        if checked is not None and checked.task is not None:
            checked.task.cancel()
        made.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def at(uri: str, line: int) -> list[dict[str, Any]]:
        found = known.get(uri, Checked()).findings
        return [f for f in found if f["location"]["row"] - 1 <= line < f["end_location"]["row"]]

    @made.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        uri, line = params.text_document.uri, params.position.line
        text = language_hover.told(at(uri, line), drawing["pictures"])
        if not text and (checked := known.get(uri)) is not None:
            now = made.workspace.get_text_document(uri).source.split("\n")
            text = silence(checked, now, line)
        if not text:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @made.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        lines = known.get(uri, Checked()).lines
        rows = range(params.range.start.line, params.range.end.line + 1)
        here = {id(f): f for row in rows for f in at(uri, row)}
        return [action for f in here.values() for action in actions(f, uri, lines)]

    return made


def serve() -> None:
    """Serve one editor on standard input and output, until it goes."""
    # its own ends of the streams: it closes them, and what a library prints must not get between
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    made = server()
    try:
        made.start_io(incoming, outgoing)
    finally:
        made.checker.end()  # type: ignore[attr-defined]
