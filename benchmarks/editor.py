"""How long an editor waits: from a key to the findings, measured by a client of `perflint lsp`.

    python benchmarks/editor.py [--rounds 20]

Two keys are tried by turns: one that adds a line above the kernels, after which their findings must
stand a line lower (at once, from what is known), and one in a kernel, after which its finding must
be there (from a new check). The budgets are 0.15 s and 2 s, on an idle core.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

UNCHANGED, CHANGED = 0.15, 2.0  #: seconds
BAD, GOOD = "a[threadIdx.x * 32]", "a[threadIdx.x *  1]"
TEXT = "// a comment\n" + "".join(
    f"__global__ void k{n}(float *a)\n{{\n    {BAD} = {n};\n}}\n" for n in range(3)
)

Diagnostics = list[dict[str, Any]]


class Editor:
    """A client on the server's standard streams."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "perflint", "lsp"],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._version = 0
        self._uri = (folder / "a.cu").as_uri()
        params = {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}
        self._send("initialize", params, id=1)
        while self._receive().get("id") != 1:
            pass
        self._send("initialized", {})

    def _send(self, method: str, params: Any, **more: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while (line := self._process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message

    def open(self, text: str) -> None:
        """Open the file with a text."""
        document = {"uri": self._uri, "languageId": "cuda", "version": 0, "text": text}
        self._send("textDocument/didOpen", {"textDocument": document})

    def change(self, text: str) -> None:
        """Change the text."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        change = {"textDocument": document, "contentChanges": [{"text": text}]}
        self._send("textDocument/didChange", change)

    def until(self, right: Callable[[Diagnostics], bool]) -> float:
        """Seconds until the diagnostics are right."""
        begun = perf_counter()
        while True:
            message = self._receive()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            if right(message["params"]["diagnostics"]):
                return perf_counter() - begun

    def end(self) -> None:
        """End the server."""
        self._send("shutdown", None, id=2)
        while self._receive().get("id") != 2:
            pass
        self._send("exit", None)
        self._process.wait(30)


def rows(found: Diagnostics) -> list[int]:
    """The lines that have a finding of CU101."""
    return sorted({d["range"]["start"]["line"] for d in found if d["code"] == "CU101"})


def measured(rounds: int) -> tuple[float, list[float], list[float]]:
    """Seconds: to the first findings; of each round with unchanged, and with changed kernels."""
    with tempfile.TemporaryDirectory(prefix="perflint-editor-") as folder:
        editor = Editor(Path(folder))
        begun = perf_counter()
        editor.open(TEXT)
        editor.until(lambda found: len(rows(found)) == 3)
        first = perf_counter() - begun
        unchanged, changed = [], []
        lines, text = [3, 7, 11], TEXT
        for number in range(1, rounds + 1):
            lower = [line + 1 for line in lines]
            editor.change(f"// a key {number}\n{text}")
            unchanged.append(editor.until(lambda found, want=lower: rows(found) == want))
            # without the fault, then with it again, in a line that was never there: only a check
            # of this text can have a finding in it
            editor.change(TEXT.replace(BAD, GOOD, 1))
            editor.until(lambda found: rows(found) == lines[1:])
            text = TEXT.replace("= 0;", f"= {number};")
            editor.change(text)
            changed.append(editor.until(lambda found: rows(found) == lines))
        editor.end()
        return first, unchanged, changed


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args(arguments)
    first, unchanged, changed = measured(asked.rounds)
    print(f"first findings after opening    {first:6.2f} s")
    print("key to findings                 median      p90  budget")
    for name, seconds, budget in (
        ("  of unchanged kernels", unchanged, UNCHANGED),
        ("  of a changed kernel", changed, CHANGED),
    ):
        ordered = sorted(seconds)
        p90 = ordered[int(0.9 * (len(ordered) - 1))]
        print(f"{name:30} {statistics.median(seconds):7.3f}  {p90:7.3f}  {budget:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
