"""`--fix`, `--unsafe-fixes` and `--diff`: what is changed, what is left, what is then found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.base.evidence import Edit, Fix
from perflint.base.span import Span
from perflint.cli import fixes, triage
from perflint.lint.findings import Finding, Result, Unanalysed
from tests.cli.conftest import Outcome

FILE = Path("a.cu")


def edit(line: int, start: int, end: int, text: str) -> Edit:
    return Edit(Span(FILE, line, start, line, end), text)


def finding(*edits: Edit, safe: bool = True, verdict: str = "confirmed") -> Finding:
    place = edits[0].span if edits else Span(FILE, 1, 1, 1, 2)
    fix = Fix("write it so", edits, safe) if edits else None
    return Finding("CU701", "implicit-double", "warning", verdict, "m", place, fix=fix)  # type: ignore[arg-type]


def after(text: str, *findings: Finding, unsafe: bool = False, folder: Path) -> str:
    (folder / FILE).write_text(text)
    made = fixes.changes(fixes.choose(findings, unsafe=unsafe), folder)
    fixes.put(made, folder)
    return (folder / FILE).read_text()


def test_edits_of_one_file_are_made_together(tmp_path: Path) -> None:
    found = (finding(edit(1, 1, 2, "xx")), finding(edit(1, 3, 4, ""), edit(2, 1, 1, "y")))
    assert after("a b\nc\n", *found, folder=tmp_path) == "xx \nyc\n"


def test_of_two_fixes_of_one_place_the_first_is_made(tmp_path: Path) -> None:
    found = finding(edit(1, 1, 4, "x")), finding(edit(1, 3, 6, "y")), finding(edit(1, 6, 7, "z"))
    assert after("abcdef\n", *found, folder=tmp_path) == "xdez\n"
    chosen = fixes.choose(found, unsafe=False)
    assert chosen.overlapping == (found[1],)
    assert any("run again" in line for line in fixes.summary(chosen))


def test_a_fix_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    found = finding(edit(1, 1, 4, "x")), finding(edit(1, 3, 4, "y"), edit(2, 1, 2, "z"))
    assert after("abcdef\ng\n", *found, folder=tmp_path) == "xdef\ng\n"


def test_an_edit_that_two_fixes_share_is_made_once(tmp_path: Path) -> None:
    declared = edit(1, 1, 1, "r = 1 / l; ")
    found = finding(declared, edit(1, 1, 2, "x")), finding(declared, edit(1, 3, 4, "y"))
    assert after("a b\n", *found, folder=tmp_path) == "r = 1 / l; x y\n"


def test_insertions_at_one_place_are_both_made(tmp_path: Path) -> None:
    found = finding(edit(1, 1, 1, "p ")), finding(edit(1, 1, 1, "q "))
    assert after("a\n", *found, folder=tmp_path) == "p q a\n"


@pytest.mark.parametrize(
    ("unsafe", "text"), [(False, "a\n"), (True, "x\n")], ids=["safe only", "unsafe too"]
)
def test_changed_results_must_be_allowed(unsafe: bool, text: str, tmp_path: Path) -> None:
    found = finding(edit(1, 1, 2, "x"), safe=False)
    assert after("a\n", found, unsafe=unsafe, folder=tmp_path) == text


def test_what_is_undecided_is_not_changed(tmp_path: Path) -> None:
    assert after("a\n", finding(edit(1, 1, 2, "x"), verdict="undecided"), folder=tmp_path) == "a\n"


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"a\r\nb")
    made = fixes.changes(fixes.choose([finding(edit(2, 1, 2, "x"))], unsafe=False), tmp_path)
    fixes.put(made, tmp_path)
    assert (tmp_path / FILE).read_bytes() == b"a\r\nx"
    assert "No newline at end of file" in fixes.unified(made, tmp_path)
    fixes.take_back(made, tmp_path)
    assert (tmp_path / FILE).read_bytes() == b"a\r\nb"


def test_a_new_error_breaks_and_an_old_one_does_not() -> None:
    error = Finding("CU001", "file-not-compiled", "error", "confirmed", "m", Span(FILE, 1, 1, 1, 2))
    clean, failed = Result((), (), 0, 1), Result((error,), (), 0, 1)
    assert fixes.broken(clean, failed) == (FILE, "m")
    missed = Result((), (Unanalysed(FILE, "k", "why"),), 0, 1)
    assert fixes.broken(clean, missed) == (FILE, "why") and fixes.broken(missed, missed) is None
    assert fixes.broken(failed, failed) is None
    assert fixes.broken(failed, clean) is None


SOURCE = """__global__ void k(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * 0.1;
}

void launch(float *y, const float *x) { k<<<64, 256>>>(y, x); }
"""
OPTIONS = ("--preview", "--select", "CU701")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "k.cu"
    path.write_text(SOURCE)
    return path


def test_diff_prints_and_changes_nothing(run: Callable[..., Outcome], source: Path) -> None:
    done = run("check", *OPTIONS, "--diff", "--unsafe-fixes", "k.cu")
    assert "-    y[i] = x[i] * 0.1;\n+    y[i] = x[i] * 0.1f;\n" in done.out
    assert done.out.startswith("--- k.cu\n+++ k.cu\n")
    assert source.read_text() == SOURCE
    assert done.status == 1


def test_fix_changes_the_file_and_checks_it_again(
    run: Callable[..., Outcome], source: Path
) -> None:
    left = run("check", *OPTIONS, "--fix", "k.cu")
    assert "CU701" in left.out
    assert "--unsafe-fixes" in left.err
    assert source.read_text() == SOURCE
    done = run("check", *OPTIONS, "--fix", "--unsafe-fixes", "k.cu")
    assert done.status == 0, done.err
    assert "fixed 1 finding" in done.err
    assert source.read_text() == SOURCE.replace("0.1;", "0.1f;")


def test_fixes_that_overlap_are_made_in_rounds(source: Path) -> None:
    source.write_text("abc\n")
    at = Path("k.cu")

    def found(text: str) -> Result:
        """Each of a, b, c is to be doubled, with its neighbours being in the way."""
        spans = [(text.find(each), each) for each in "abc" if text.count(each) == 1]
        listed = []
        for column, each in spans:
            wide = Span(at, 1, max(1, column), 1, column + 2)  # the letter before it, too
            fix = Fix("double it", (Edit(wide, text[wide.column - 1 : column] + each * 2),), True)
            listed.append(Finding("CU701", "n", "note", "confirmed", each, wide, fix=fix))
        return Result(tuple(listed), (), 0, 1)

    told: list[str] = []
    left = triage.fixed(found("abc\n"), False, told.append, lambda: found(source.read_text()))
    assert source.read_text() == "aabbcc\n"
    assert not left.findings
    assert told == ["perflint: fixed 3 findings"]


def test_a_fix_that_never_ends_is_left(source: Path) -> None:
    source.write_text("a\n")
    place = Span(Path("k.cu"), 1, 1, 1, 1)
    fix = Fix("write it so", (Edit(place, "b"),), safe=True)
    again = Finding("CU701", "implicit-double", "note", "confirmed", "m", place, fix=fix)
    found = Result((again,), (), 0, 1)
    triage.fixed(found, False, lambda _: None, lambda: found)
    assert source.read_text() == "b" * triage.MOST_ROUNDS + "a\n"


FIXING = Path(__file__).parent / "fixing"


@pytest.mark.parametrize("before", sorted(FIXING.glob("*.cu")), ids=lambda p: p.stem)
@pytest.mark.parametrize("kind", ["safe", "unsafe"])
def test_fixed_sources_are_what_an_engineer_would_write(
    run: Callable[..., Outcome], source: Path, before: Path, kind: str
) -> None:
    """`// rules:` on the first line says which; `.safe` and `.unsafe` is what is left then."""
    wanted = before.with_suffix(f".{kind}").read_text()
    text = before.read_text()
    source.write_text(text)
    options = ("--unsafe-fixes",) if kind == "unsafe" else ()
    rules = text.split("\n")[0].removeprefix("// rules: ")
    run("check", "--isolated", "--preview", "--select", rules, "--fix", *options, "k.cu")
    assert source.read_text() == wanted
