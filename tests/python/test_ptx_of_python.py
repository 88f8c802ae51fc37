"""PTX that Triton and Numba printed, kept as data: findings at the Python lines."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from perflint.base.bounds import around
from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check, listing

DATA = Path(__file__).parents[1] / "data"
RULES = frozenset({"CU002", "CU101", "CU102", "CU201"})

#: By file: (source, line, array) of each finding.
EXPECTED = {
    "triton/strided.sm_80": [("strided.py", 12, "x_ptr")],
    "triton/coalesced.sm_80": [],
    "triton/specialised.sm_80": [("steps.py", 11, "x_ptr")],
    "triton/unspecialised.sm_80": [],
    "triton/transpose.sm_80": [],
    "triton/softmax.sm_80": [("kernels.py", 22, "in_ptr")],
    "triton/column_sums.sm_80": [("kernels.py", 35, "in_ptr")],
    "triton/matmul.sm_80": [],
    "triton/matmul.sm_90": [],
    "triton/matmul.sm_100": [],
    "triton/tma_copy.sm_90": [],
    "triton/tma_matmul.sm_90": [],
    "numba/column_walk.sm_80": [("walks.py", 13, "a")],
    "numba/row_walk.sm_80": [],
    "numba/scaled.sm_80": [],
}


def _checked(file: Path, folder: Path, rules: frozenset[str] = RULES) -> list[Finding]:
    arch = file.stem.rpartition(".")[2]
    options = CheckOptions(rules, (arch,), root=folder, bound=around([file]))
    found = check([file], options)
    assert not found.unanalysed
    return [f for f in found.findings if f.verdict == "confirmed"]


@pytest.mark.parametrize("name", EXPECTED)
def test_the_findings_stand_at_python_lines(name: str) -> None:
    file = DATA / f"{name}.ptx"
    found = _checked(file, DATA)
    assert [(f.place.path.name, f.place.line) for f in found] == [e[:2] for e in EXPECTED[name]]
    for finding, (_, _, array) in zip(found, EXPECTED[name], strict=True):
        assert f"`{array}`" in finding.message
        assert "threadIdx" not in (finding.help or "") or name.startswith("numba")


def test_the_expression_is_underlined_and_the_argument_named() -> None:
    (finding,) = _checked(DATA / "triton/strided.sm_80.ptx", DATA)
    line = (DATA / "triton/strided.py").read_text().splitlines()[finding.place.line - 1]
    written = line[finding.place.column - 1 : finding.place.end_column - 1]
    assert written == "tl.load(x_ptr + offsets * stride, mask=mask)"
    assert finding.label == "neighbouring lanes are `16*stride` bytes apart (20480 here)"
    assert finding.launch is not None
    assert finding.launch.text.startswith(
        "strided<<<10, 128>>>(stride=1280 assumed, n=1152 assumed)"
    )


def test_help_is_in_the_words_of_the_language() -> None:
    scalars = _checked(DATA / "triton/softmax.sm_80.ptx", DATA)[0]
    assert [r.place.line for r in scalars.related] == [26]  # the store by the same index
    walk = _checked(DATA / "triton/column_sums.sm_80.ptx", DATA)[0]
    numba = _checked(DATA / "numba/column_walk.sm_80.ptx", DATA)[0]
    assert "tl.multiple_of" in (scalars.help or "")
    assert "tl.make_block_ptr" in (walk.help or "")
    assert "cuda.threadIdx.x index the last dimension" in (numba.help or "")


def _doubles(name: str) -> list[Finding]:
    return _checked(DATA / f"numba/{name}.sm_80.ptx", DATA, frozenset({"CU701"}))


def test_the_number_that_makes_a_sum_of_floats_double_is_told() -> None:
    (finding,) = _doubles("total")
    assert (finding.place.path.name, finding.place.line, finding.place.column) == (
        "doubles.py",
        15,
        15,
    )
    assert "`tmp = 0.0` makes the float arithmetic of line 17 double" in finding.message
    assert finding.help == "write `tmp = np.float32(0.0)`"


def test_all_numbers_of_a_statement_are_told_together() -> None:
    (finding,) = _doubles("damped")
    assert finding.place.line == 45
    assert finding.help == "write `np.float32(3)`, `RATE = np.float32(0.7)`"


@pytest.mark.parametrize("name", ["total_in_float", "total_meant", "total_kept", "damped_in_float"])
def test_what_is_float_or_meant_to_be_double_is_not(name: str) -> None:
    assert not _doubles(name)


def _copied(tmp_path: Path, name: str, source: str) -> Path:
    for each in (f"{name}.ptx", f"{name}.ttir", f"{name}.json", source):
        shutil.copy(DATA / "triton" / each, tmp_path)
    return tmp_path / f"{name}.ptx"


def test_a_comment_in_the_python_source_silences(tmp_path: Path) -> None:
    file = _copied(tmp_path, "strided.sm_80", "strided.py")
    source = tmp_path / "strided.py"
    text = source.read_text().replace(
        "* stride, mask=mask)", "* stride, mask=mask)  # perflint: ignore[CU101] -- short"
    )
    source.write_text(text)
    assert not _checked(file, tmp_path)


def test_without_the_source_the_line_and_the_names_remain(tmp_path: Path) -> None:
    file = _copied(tmp_path, "strided.sm_80", "strided.py")
    (tmp_path / "strided.py").rename(tmp_path / "moved")
    (finding,) = _checked(file, tmp_path)
    assert (finding.place.path.name, finding.place.line, finding.place.column) == (
        "strided.py",
        12,
        9,
    )
    assert "`x_ptr`" in finding.message


def test_a_step_that_the_source_does_not_tell_of_may_be_one(tmp_path: Path) -> None:
    """Without the function, nobody knows what it forbids to specialise."""
    file = _copied(tmp_path, "specialised.sm_80", "steps.py")
    (tmp_path / "steps.py").unlink()
    assert not _checked(file, tmp_path)
    ttir = tmp_path / "specialised.sm_80.ttir"
    step = "%step: i32 {tt.divisibility = 16 : i32}"
    ttir.write_text(ttir.read_text().replace("%step: i32", step))
    assert len(_checked(file, tmp_path)) == 1


def test_integers_are_what_the_specialiser_took_them_for(tmp_path: Path) -> None:
    """A multiple of 16 is tried where Triton says so, none where it would have said so."""
    file = _copied(tmp_path, "specialised.sm_80", "steps.py")
    ttir = tmp_path / "specialised.sm_80.ttir"

    def tried() -> list[dict[str, int]]:
        options = CheckOptions(RULES, root=tmp_path, jobs=1, bound=around([file]))
        (kernel,) = listing([file], options)
        worlds = (world for launch in kernel.launches for world in launch.worlds)
        return [
            {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", world)}
            for world in worlds
        ]

    plain = "%step: i32"
    whole = f"{plain} {{tt.divisibility = 16 : i32}}"
    ttir.write_text(ttir.read_text().replace(whole, plain))
    assert tried()
    assert all(world["step"] % 16 for world in tried())
    ttir.write_text(ttir.read_text().replace(plain, whole))
    assert all(world["step"] % 16 == 0 for world in tried())


def test_a_source_outside_the_bound_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    file = _copied(folder, "strided.sm_80", "strided.py")
    secret = tmp_path / "strided.py"
    (folder / "strided.py").rename(secret)
    file.write_text(file.read_text().replace('"strided.py"', f'"{secret}"'))
    (finding,) = _checked(file, tmp_path)
    assert finding.place.end_column == finding.place.column + 1  # nothing to underline


def test_names_are_left_out_where_they_cannot_be_told(tmp_path: Path) -> None:
    """A specialised argument is gone from the PTX; without the .ttir nothing says which."""
    file = _copied(tmp_path, "strided.sm_80", "strided.py")
    source = tmp_path / "strided.py"
    source.write_text(source.read_text().replace("stride, n, BLOCK", "stride, n, more, BLOCK"))
    (tmp_path / "strided.sm_80.ttir").unlink()
    (finding,) = _checked(file, tmp_path)
    assert finding.launch is not None and "param2=1280" in finding.launch.text
