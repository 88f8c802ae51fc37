"""`--fix` beside what it cannot read, and with characters that only some count as ends of lines."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perflint.base.text_lines import lines_of, with_ends
from perflint.cli import fixes, output
from perflint.cli.discovery import PathError
from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]
SLOW = (
    "__global__ void f(float *y, const float *x)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    y[i] = x[i] * 0.1;\n}\n"
)


def test_a_file_that_is_not_utf8_is_left_out(run: Run, tree: Path) -> None:
    (tree / "b.cu").write_text(SLOW)
    (tree / "c.cu").write_bytes(b"// \xe9t\xe9\n" + SLOW.encode())
    before = (tree / "c.cu").read_bytes()
    outcome = run("--fix", "--unsafe-fixes", "--select", "CU701", ".")
    assert "c.cu: not fixed: it is not UTF-8" in outcome.err
    assert "0.1f" in (tree / "b.cu").read_text() and (tree / "c.cu").read_bytes() == before


def test_a_file_that_cannot_be_written_is_left_out(run: Run, tree: Path) -> None:
    (tree / "b.cu").write_text(SLOW)
    (tree / "lib").mkdir()
    (tree / "lib" / "c.cu").write_text(SLOW)
    (tree / "lib").chmod(0o555)
    try:
        with pytest.MonkeyPatch.context() as patch:
            if os.access(tree / "lib", os.W_OK):  # nothing is forbidden to root
                patch.setattr(fixes, "write", refuse_in_lib)
            outcome = run("--fix", "--unsafe-fixes", "--select", "CU701", ".")
    finally:
        (tree / "lib").chmod(0o755)
    assert "warning: lib/c.cu: not fixed: " in outcome.err and "fixed 1 finding\n" in outcome.err
    assert "0.1f" in (tree / "b.cu").read_text() and (tree / "lib/c.cu").read_text() == SLOW


def refuse_in_lib(file: Path, text: str) -> None:
    if file.parent.name == "lib":
        raise PathError(f"{file}: Permission denied")
    output.write(file, text)


def test_only_what_compiles_no_more_is_put_back(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another file's fixes stay."""
    (tree / "b.cu").write_text(SLOW)
    (tree / "c.cu").write_text(SLOW)
    changes = fixes.changes

    def wrong(*arguments: Any) -> tuple[fixes.Change, ...]:
        made = changes(*arguments)
        return tuple(
            replace(each, after=each.after + "int (;\n") if each.path.name == "c.cu" else each
            for each in made
        )

    monkeypatch.setattr(fixes, "changes", wrong)
    outcome = run("--fix", "--unsafe-fixes", "--select", "CU701,CU001", ".")
    assert "warning: c.cu: not fixed: c.cu: " in outcome.err
    assert "fixed 1 finding\n" in outcome.err
    assert "0.1f" in (tree / "b.cu").read_text() and (tree / "c.cu").read_text() == SLOW


@pytest.mark.parametrize(
    "text",
    ["\f", "// a\x0bb\n", "// a\x85b\n", "// a\u2028b\n", "// a\rb\n", "// a\x1cb\u2029\n",
     "\ufeff", "int\rx;\n"],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_in_one_way(text: str, end: str, run: Run, tree: Path) -> None:
    source = (text + SLOW).replace("\n", end).encode()
    (tree / "a.cu").write_bytes(source)
    found = run("--select", "CU701", "--output-format", "concise", ".")
    line = source[: source.index(b"0.1")].count(b"\n") + 1
    assert found.out.startswith(f"a.cu:{line}:")
    run("--fix", "--unsafe-fixes", "--select", "CU701", ".")
    changed = source.replace(b"0.1", b"0.1f")
    assert (tree / "a.cu").read_bytes() == changed


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\nb", "\n\n", "a\rb\fc\u2028d\n"])
def test_lines_together_are_the_text(text: str) -> None:
    assert "".join(with_ends(text)) == text
    assert len(lines_of(text)) == len(with_ends(text))
