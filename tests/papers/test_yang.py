"""Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs", ICPP 2012: its catalogue, item by item.

A file of `yang/` has a bug of the paper; its first line names the rule that tells it, and the
figure. Beside it lies the fix that the paper proposes.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.base.edits import apply_edits
from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.work.pipeline import check

FOLDER = Path(__file__).with_name("yang")
BUGS = sorted(path for path in FOLDER.glob("*.cu") if not path.stem.endswith("_fixed"))
#: What cost time on the paper's GPUs, and hardly does on today's.
SLIGHT = ("b1_square", "g_float_root")
#: Items with an edit of ours: what it makes of the bug has nothing left to tell.
MENDED = (
    *("a1_pixels", "a2_adjacent", "a2_rows", "b1_narrow", "b1_square", "b2_product", "b3_cache"),
    *(
        "d_constant",
        "e_argument",
        "f_division",
        "f_literal",
        "g_double4",
        "g_double_root",
        "g_float_root",
    ),
)


def told(path: Path, code: str, *, undecided: bool = False) -> list[Finding]:
    """What a rule shows, for the GPU that the source names; perhaps what it leaves open, too."""
    arch = tuple(re.findall(r"--arch (sm_\d+)", path.read_text()))
    options = CheckOptions(rules=frozenset(rules()), root=path.parent, arch=arch)
    found = check([path], options).findings
    assert not any(f.code in ("CU001", "CU002") for f in found)
    return [f for f in found if f.code == code and (undecided or f.verdict == "confirmed")]


def code_of(path: Path) -> str:
    found = re.match(r"// (CU\d{3}),", path.read_text())
    assert found is not None
    return found[1]


@pytest.mark.parametrize("path", BUGS, ids=lambda path: path.stem)
def test_the_bug_is_told(path: Path) -> None:
    slight = path.stem in SLIGHT
    levels = {f.level for f in told(path, code_of(path), undecided=slight)}
    assert levels == ({"note"} if slight else {"warning"})


@pytest.mark.parametrize("path", BUGS, ids=lambda path: path.stem)
def test_its_fixed_twin_is_not(path: Path) -> None:
    assert not told(path.with_name(f"{path.stem}_fixed.cu"), code_of(path))


@pytest.mark.parametrize("name", MENDED)
def test_our_fix_leaves_nothing_to_tell(name: str, tmp_path: Path) -> None:
    path = FOLDER / f"{name}.cu"
    code = code_of(path)
    fixes = [f.fix for f in told(path, code, undecided=name in SLIGHT)]
    assert fixes and all(fix is not None for fix in fixes)
    edits = {edit for fix in fixes if fix is not None for edit in fix.edits}
    mended = tmp_path / path.name
    mended.write_text(apply_edits(path.read_text(), edits))
    assert not told(mended, code, undecided=name in SLIGHT)
