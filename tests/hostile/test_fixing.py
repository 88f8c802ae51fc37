"""`--fix` beside what it cannot read, and with characters that only some count as ends of lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.base.text_lines import lines_of, with_ends
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
