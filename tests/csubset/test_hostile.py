"""Any text is answered with a compilation: never an exception, never a hang."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perflint.frontend import csubset
from perflint.grammar import parse

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.cu"))


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """A source with some pieces cut out, doubled, or replaced by others' characters."""
    text = draw(st.sampled_from(KERNELS)).read_text("utf-8")
    start = draw(st.integers(0, len(text) - 400))
    text = text[start : start + draw(st.integers(200, 1500))]
    if "__global__" not in text:
        text += "\n__global__ void last(int *a) { a[0] = 1; }\n"
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(text)))
        width = draw(st.integers(0, 12))
        piece = draw(
            st.one_of(
                st.sampled_from(["{", "}", "(", ")", ";", "*", "&", "[", "]", "<", "::", "#", '"']),
                st.just(text[at : at + width] * 2),
                st.text(max_size=3),
            )
        )
        text = text[:at] + piece + text[at + width :]
    return text


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(_damaged())
def test_damaged_sources(text: str) -> None:
    """Each kernel is lowered or lost; what is lowered is PTX."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "k.cu")
        path.write_text(text, "utf-8", errors="replace")
        found = csubset.compile_file(path)
    if found.ptx is not None:
        assert {k.name for k in parse(found.ptx).kernels} == set(found.entries)


DEEP = {
    "parentheses": "a[0] = " + "(" * 5_000 + "1" + ")" * 5_000 + ";",
    "operators": "a[0] = " + "a[1] + " * 5_000 + "1;",
    "calls": "a[0] = " + "sqrtf(" * 150 + "1" + ")" * 150 + ";",
    "conditions": "a[0] = " + "a[1] ? a[2] : " * 190 + "1;",
    "blocks": "{" * 3_000 + "}" * 3_000,
    "array": "int b[1000000000000000]; a[0] = b[1];",
    "shift": "a[0] = 1 << 400; a[1] = 1 / 0; a[2] = 5 % 0; a[3] = 1 << -1;",
    "infinite": "a[0] = 1e400; a[1] = (int)1e30; a[2] = 1.0 / 0.0;",
}


@pytest.mark.parametrize("kind", DEEP)
def test_extreme_kernels(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"__global__ void k(int *a)\n{{\n    {DEEP[kind]}\n}}\n")
    found = csubset.compile_file(path)
    assert len(found.entries) + len(found.lost) + len(found.errors) == 1


def test_calls_that_double(tmp_path: Path) -> None:
    """Inlining stops where the code would grow without bound."""
    lines = ["__device__ int f0(int x) { return x; }"]
    lines += [
        f"__device__ int f{i}(int x) {{ return f{i - 1}(x) + f{i - 1}(x + 1); }}"
        for i in range(1, 40)
    ]
    lines.append("__global__ void k(int *a) { a[0] = f39(1); }")
    path = tmp_path / "k.cu"
    path.write_text("\n".join(lines))
    found = csubset.compile_file(path)
    assert "too large" in found.lost[0].reason


def test_unreadable_files(tmp_path: Path) -> None:
    found = csubset.compile_file(tmp_path / "missing.cu")
    assert found.ptx is None
    assert not found.errors[0].genuine
    with pytest.raises(ValueError, match="sm_"):
        csubset.compile_file(tmp_path / "missing.cu", arch="volta")
