"""Variants are compiled by the call that compiled their file, whatever it took to find that out."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.base.evidence import Edit
from perflint.base.span import Span
from perflint.frontend import Pool, compile_again, compile_file, text_given
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.lint import recompile
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load
from perflint.lint.translation_units import Unit, read_facts
from perflint.work import filecheck
from tests.frontend.test_headers import write

#: Found out by compiling: that device code calls a function of the host's.
MAIN = """\
#include <unknown_to_all.h>
#include "scale.cuh"
#include <vector>
std::vector<int> sizes() { return {1, 2}; }
int twice(int n) { return 2 * n; } // the device's too
template <class T> __global__ void k(T *p) /* here */
{
    p[twice(threadIdx.x)] *= scale(0.5); int host = 0;
}
void run(float *p) { k<<<64, 256>>>(p); }
"""
HEADER = "__device__ double scale(double x) { return x * 3.0; }\n"


class Counting(Pool):
    """Counts what is compiled."""

    def __init__(self) -> None:
        super().__init__(remember=0)
        self.jobs: list[Job] = []

    def _compile(self, job: Job) -> Outcome:
        self.jobs.append(job)
        return super()._compile(job)


def edit(path: Path, line: int, old: str, new: str) -> Edit:
    column = path.read_text().splitlines()[line - 1].index(old) + 1
    return Edit(Span(path, line, column, line, column + len(old)), new)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    write(tmp_path, {"main.cu": MAIN, "scale.cuh": HEADER})
    return (tmp_path / "main.cu").resolve()


def test_what_was_found_out_is_not_found_out_again(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = CheckOptions(rules=frozenset(), root=program.parent)
    unit = Unit(program, "sm_80")
    run = filecheck.Run(options, load([]), {}, program.parent)
    edits = [
        edit(program, 8, "0.5", "0.75f"),
        edit(program.parent / "scale.cuh", 1, "3.0", "5.0f"),
        edit(program, 8, "p[", "(p)["),
    ]
    with Counting() as pool:
        monkeypatch.setattr("perflint.frontend.nvrtc.again.shared_pool", lambda: pool)
        monkeypatch.setattr("perflint.frontend.nvrtc.cuda_file.shared_pool", lambda: pool)
        compilation = compile_file(program, pool=pool)
        assert compilation.ptx is not None and len(pool.jobs) > 1
        changes = recompile.by_file(edits)
        read = {path: path.read_text() for path in changes}
        anew = recompile._anew(unit, run, changes, read)
        before = len(pool.jobs)
        again = recompile._again(compilation, changes, read)
        assert len(pool.jobs) == before + 1
    assert again == anew != compilation.ptx


@pytest.mark.parametrize(
    ("line", "old"),
    [(1, "unknown"), (4, "1, 2"), (10, "64")],
    ids=["include", "host", "launch"],
)
def test_what_was_not_given_is_not_edited(program: Path, pool: Pool, line: int, old: str) -> None:
    compilation = compile_file(program, pool=pool)
    given = text_given(compilation, program)
    assert given is not None and len(given.splitlines()) == len(MAIN.splitlines())
    changed = edit(program, line, old, "3")
    assert not recompile._stands_in(given, MAIN, changed)
    assert recompile._again(compilation, {program: [changed]}, {program: MAIN}) is None


@pytest.mark.parametrize(
    ("edits", "read_anew"),
    [
        ((("N, 256", "8, 256"),), False),
        (((", 256", ", 64"),), False),
        ((("<N>", "<3>"),), True),
        ((("(p)", "(p + 1)"),), True),
        (((", 256", ", 64"), ("N = 2", "N = 4")), True),
    ],
    ids=["grid", "block", "template", "argument", "block and what instances hang on"],
)
def test_a_launch_of_another_shape_has_the_instances_that_it_had(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    edits: tuple[tuple[str, str], ...],
    read_anew: bool,
) -> None:
    text = (
        "template <int n> __global__ void k(float *p) { p[threadIdx.x] = n; }\n"
        "void run(float *p) { const int N = 2; k<N><<<N, 256>>>(p); }\n"
    )
    write(tmp_path, {"main.cu": text})
    main = (tmp_path / "main.cu").resolve()
    unit, options = Unit(main, "sm_80"), CheckOptions(rules=frozenset(), root=tmp_path)
    facts = {main: read_facts(unit, tmp_path)}
    run = filecheck.Run(options, load([]), facts, tmp_path)
    given: list[object] = []

    def compiled(unit: Unit, options: CheckOptions, root: Path, known: object) -> Compilation:
        given.append(known)
        return Compilation(unit.path, "", {}, {})

    monkeypatch.setattr(recompile, "compile_unit", compiled)
    changes = recompile.by_file([edit(main, 2, *each) for each in edits])
    recompile._anew(unit, run, changes, {main: text})
    assert given == [None if read_anew else facts[main]]


def test_files_that_were_not_compiled(program: Path, pool: Pool, tmp_path: Path) -> None:
    compilation = compile_file(program, pool=pool)
    other = tmp_path / "other.cu"
    assert text_given(compilation, other) is None
    assert compile_again(compilation, {other: ""}, pool) is None
    assert compile_again(compilation, {program: "__global__ void k( {"}, pool) is None
