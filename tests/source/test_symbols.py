"""What is copied to device variables, against the `// holds:` comments, strict both ways."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from perflint.frontend.source.facts import read
from perflint.frontend.source.language.model import SymbolValue

CASES = Path(__file__).parent / "symbols"


def _described(symbol: SymbolValue) -> str:
    values = " ".join(f"{v.offset}={v.value:g}" for v in symbol.values)
    return f"{symbol.name} {values or '?'}"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.cu")), ids=lambda p: p.stem)
def test_every_copy_is_read_as_marked(path: Path) -> None:
    facts = read(path)
    expected = {}
    for number, line in enumerate(facts.text.split("\n"), 1):
        if match := re.search(r"// holds(-next)?: (.*)$", line):
            expected[number + bool(match[1])] = [part.strip() for part in match[2].split("|")]
    found: dict[int, list[str]] = defaultdict(list)
    for symbol in facts.symbols:
        found[symbol.span.line].append(_described(symbol))
    assert found == expected


def test_more_ways_than_are_looked_at_leave_a_copy_unknown(tmp_path: Path) -> None:
    calls = "\n".join(f"set({n});" for n in range(40))
    path = tmp_path / "many.cu"
    path.write_text(
        "__constant__ int size;\n"
        "void set(int n) { cudaMemcpyToSymbol(size, &n, sizeof(n)); }\n"
        f"int main() {{ {calls} }}\n"
    )
    symbols = read(path).symbols
    assert len(symbols) < 40
    assert any(s.offset is None and not s.values for s in symbols)


def test_a_copy_does_not_change_what_it_copies_from(tmp_path: Path) -> None:
    path = tmp_path / "launch.cu"
    path.write_text(
        "__constant__ int size;\n__global__ void k(int n) {}\n"
        "int main() { int n = 64; cudaMemcpyToSymbol(size, &n, sizeof(n)); k<<<n, n>>>(n);\n"
        "  cudaMemcpyFromSymbol(&n, size, sizeof(n)); k<<<n, 32>>>(n); }\n"
    )
    first, second = read(path).launches
    assert (first.block.value, first.arguments[0].value) == ((64, 1, 1), 64)
    assert second.arguments[0].value is None
