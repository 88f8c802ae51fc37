"""What a source says is read once for all macros of which it names none."""

from pathlib import Path

import pytest

from perflint.frontend import translation_unit
from perflint.frontend.source import facts

_SOURCE = """
#include "size.h"
__global__ void scale(float *a) { a[blockIdx.x * SIZE + threadIdx.x] *= 2.0f; }
void run(float *a) { scale<<<64, SIZE>>>(a); }
"""
_HEADER = """
#ifdef WIDE
#define SIZE 256
#else
#define SIZE 32
#endif
"""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was read, a macros' mapping each time."""
    translation_unit.forget()
    found: list[object] = []
    plain = facts.read_with_headers

    def noting(*arguments: object, **options: object) -> object:
        found.append(options["define"])
        return plain(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(facts, "read_with_headers", noting)
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "size.h").write_text(_HEADER)
    (tmp_path / "a.cu").write_text(_SOURCE)
    return tmp_path / "a.cu"


def _block(path: Path, *define: str) -> int | None:
    found = translation_unit.read_facts(path, define=define)
    return next(iter(found.values())).launches[0].block.x.value


def test_what_no_text_names_changes_nothing(source: Path, reads: list[object]) -> None:
    assert _block(source) == 32
    assert _block(source, "__CUDACC_EXTENDED_LAMBDA__=1") == 32
    assert len(reads) == 1


@pytest.mark.parametrize("define", ["WIDE", "SIZE=64", "scale(x)=other"])
def test_what_a_text_names_is_read_anew(source: Path, reads: list[object], define: str) -> None:
    _block(source)
    _block(source, define)
    assert len(reads) == 2


def test_a_header_asks_for_it(source: Path, reads: list[object]) -> None:
    assert [_block(source), _block(source, "WIDE"), _block(source)] == [32, 256, 32]
    assert len(reads) == 2


def test_another_macro_names_it(source: Path, reads: list[object]) -> None:
    _block(source, "OTHER=WIDTH")
    _block(source, "OTHER=WIDTH", "WIDTH=7")
    assert len(reads) == 2
