"""The language server, spoken to as an editor would."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from perflint.cli import language_hover

pytest.importorskip("pygls")

TEXT = "// \U0001f600\n__global__ void k(float *a) { /* \U0001f600 */ a[threadIdx.x * 32] = 1; }\n"


IMAGE = re.compile(r"!\[([^\]]*)\]\(data:image/svg\+xml;base64,([\w+/=]+)\)")


class Editor:
    """A client on the server's standard streams."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "perflint", "lsp"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.number = 0

    def send(self, method: str, params: Any, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        data = json.dumps(message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send(method, params, id=self.number)
        while (message := self.receive()).get("id") != self.number:
            pass
        return message["result"]

    def diagnostics(self) -> list[dict[str, Any]]:
        while (message := self.receive()).get("method") != "textDocument/publishDiagnostics":
            pass
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found


@contextmanager
def session(project: Path, **more: Any) -> Iterator[Editor]:
    """An editor that says so much of itself, until it goes."""
    made = Editor(project)
    told = {"processId": None, "rootUri": project.as_uri(), "capabilities": {}, **more}
    made.ask("initialize", told)
    made.send("initialized", {})
    yield made
    made.ask("shutdown", None)
    made.send("exit", None)
    assert made.process.wait(30) == 0


@pytest.fixture
def editor(project: Path) -> Iterator[Editor]:
    with session(project) as made:
        yield made


def test_a_session(editor: Editor, project: Path) -> None:
    uri = (project / "new.cu").as_uri()  # not saved yet
    document = {"uri": uri, "languageId": "cuda", "version": 1, "text": TEXT}
    editor.send("textDocument/didOpen", {"textDocument": document})
    [found] = editor.diagnostics()
    assert (found["code"], found["source"], found["severity"]) == ("CU101", "perflint", 2)
    line = TEXT.split("\n")[1]
    at = len(line[: line.index("a[thr")].encode("utf-16-le")) // 2
    assert found["range"]["start"] == {"line": 1, "character": at}

    here = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": at}}
    hover = editor.ask("textDocument/hover", here)["contents"]["value"]
    assert "sectors per request: **32** sectors, ideal 4" in hover
    assert "- now: 32 sectors, 128 of 1,024 bytes used" in hover
    assert "data:" not in hover  # nobody knows whether this editor would draw it
    assert (
        editor.ask("textDocument/hover", {**here, "position": {"line": 0, "character": 0}}) is None
    )

    asked = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": []}}
    actions = editor.ask("textDocument/codeAction", asked)
    silence = next(a for a in actions if a["title"] == "Silence CU101 here")
    [edit] = silence["edit"]["changes"][uri]
    assert edit["newText"] == f"{line} // perflint: ignore[CU101]"

    change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [
        {"text": TEXT.replace(line, edit["newText"])}]}  # fmt: skip
    editor.send("textDocument/didChange", change)
    assert editor.diagnostics() == []
    editor.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert editor.diagnostics() == []


@pytest.mark.parametrize(
    "more",
    [
        {"clientInfo": {"name": "Visual Studio Code", "version": "1.105.0"}},
        {"initializationOptions": {"hoverPictures": True}},
    ],
)
def test_a_hover_shows_the_worst_request_where_pictures_are_drawn(
    project: Path, more: dict[str, Any]
) -> None:
    uri = (project / "drawn.cu").as_uri()
    document = {"uri": uri, "languageId": "cuda", "version": 1, "text": TEXT}
    with session(project, **more) as editor:
        editor.send("textDocument/didOpen", {"textDocument": document})
        assert len(editor.diagnostics()) == 1
        here = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 45}}
        hover = editor.ask("textDocument/hover", here)["contents"]
    assert hover["kind"] == "markdown" and len(hover["value"]) < 100_000
    [(said, data)] = IMAGE.findall(hover["value"])
    assert said.startswith("now: 32 sectors, 128 of 1,024 bytes used; ")
    assert said.endswith(": 4 sectors, 128 of 128 bytes used")
    svg = ElementTree.fromstring(base64.b64decode(data, validate=True))
    joins = [p for p in svg.iter("{http://www.w3.org/2000/svg}path") if p.get("fill") == "none"]
    assert len(joins) == 2 * 32  # each lane to its sector, before and after


def finding(svg: str) -> dict[str, Any]:
    return {
        "code": "CU101", "name": "a-name", "verdict": "confirmed", "message": "a [message](x)",
        "evidence": [], "launch": None, "notes": [], "help": None,
        "worst_request": {"text": "", "counts": ["now: 32 sectors"], "svg": svg},
    }  # fmt: skip


def test_a_hover_stays_shorter_than_editors_show() -> None:
    """VS Code cuts Markdown behind 100,000 characters, and would cut an image in two."""
    many = [finding("<svg>" + "x" * 20_000 + "</svg>")] * 9
    text = language_hover.told(many, draws=True)
    assert len(IMAGE.findall(text)) == 3 and 80_000 < len(text) < 100_000
    assert text.count("CU101") == 9 and text.count("a \\[message") == 9
    assert "data:" not in language_hover.told([finding("x" * 90_000)], draws=True)
    assert "data:" not in language_hover.told(many, draws=False)


@pytest.mark.parametrize(
    ("client", "options", "draws"),
    [
        ("Visual Studio Code", None, True), ("Visual Studio Code - Insiders", {}, True),
        ("VSCodium", None, True), ("Neovim", None, False), ("coc.nvim", None, False),
        ("helix", [], False), ("", None, False), ("Neovim", {"hoverPictures": True}, True),
        ("Visual Studio Code", {"hoverPictures": False}, False),
        ("Emacs", {"hoverPictures": "yes"}, False),
    ],
)  # fmt: skip
def test_who_is_sent_pictures(client: str, options: Any, draws: bool) -> None:
    assert language_hover.drawn_by(client, options) is draws


def test_a_hover_says_why_nothing_is_found(editor: Editor, project: Path) -> None:
    uri = (project / "quiet.cu").as_uri()
    text = (
        "__global__ void k(float *a, float *b) {\n    int i = threadIdx.x;\n    a[i] = b[i];\n}\n"
    )
    document = {"uri": uri, "languageId": "cuda", "version": 1, "text": text}
    editor.send("textDocument/didOpen", {"textDocument": document})
    assert editor.diagnostics() == []

    def hover(line: int) -> Any:
        at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 5}}
        return editor.ask("textDocument/hover", at)

    said = hover(2)["contents"]["value"]
    assert "CU101 uncoalesced-global-access" in said
    assert "refuted: in no run does it cost much more than the ideal" in said
    assert hover(1) is None

    change = {
        "textDocument": {"uri": uri, "version": 2},
        "contentChanges": [{"text": f"//\n{text}"}],
    }
    editor.send("textDocument/didChange", change)  # what was checked is known at its new place
    assert hover(3)["contents"]["value"] == said
    editor.send("textDocument/didClose", {"textDocument": {"uri": uri}})
