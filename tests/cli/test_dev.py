"""`perflint dev`: the table of objections in the documents, and rules from a skeleton."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from perflint.base.user_error import UserError
from perflint.dev.new_rule import new_rule
from perflint.dev.objections import page
from perflint.lint.rulebook import rules
from perflint.lint.verdict import OBJECTIONS
from tests.cli.test_rules import Run

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
WHY = ROOT / "docs" / "why.md"
MARKED = re.compile(r"(<!-- perflint dev objections -->\n\n)(.*?)(\n<!-- end -->)", re.DOTALL)

#: The checks that tests/rules make of a rule, made of one that another package adds.
CHECKS = """
import sys
from pathlib import Path
from perflint.lint.rulebook import rules
from tests.rules import test_rules

# what somebody has just begun with the same skeleton finds the same
stable = {code: each for code, each in rules().items() if each.status == "stable"}
test_rules.rules = lambda: stable | {"CU999": rules()["CU999"]}
folder, info = Path(sys.argv[1]), rules()["CU999"]
page = test_rules.TestPage()
page.test_headings(info)
page.test_example_fires_just_this_rule(info, folder)
page.test_use_instead_fires_nothing(info, folder)
test_rules.test_source(folder / "tests" / "rules" / "CU999" / "sleeps.cu")
"""


def test_the_page_on_the_architecture_has_the_table() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
        text = MARKED.sub(lambda m: m[1] + page() + m[3], text)
        ARCHITECTURE.write_text(text, encoding="utf-8")
    (found,) = MARKED.finditer(text)
    assert found[2] == page()


def test_the_page_on_why_lists_the_objections_in_their_order() -> None:
    """What they say is written there for users; their names, order and verdicts are the code's."""
    rows = re.findall(
        r"^\| `([^`]+)` \| (refuted|undecided) \| (.+) \|$", WHY.read_text("utf-8"), re.M
    )
    assert [row[:2] for row in rows] == [
        (each.name, "refuted" if each.refutes else "undecided") for each in OBJECTIONS
    ]


def test_the_table_has_each_rule_and_objection(run: Run) -> None:
    printed = run("dev", "objections").out
    assert printed == page()
    for code, rule in rules().items():
        assert (f"| {code} | " in printed) == (rule.subject == "kernel")
    assert all(each.about and f"| {each.name} | {each.about} |" in printed for each in OBJECTIONS)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a checkout is told by."""
    control = tmp_path / "rules" / "control"
    control.mkdir(parents=True)
    (tmp_path / "rules" / "protocol.py").touch()
    (control / "cu901_divergent_branch.py").touch()
    (tmp_path / "tests" / "rules").mkdir(parents=True)
    return tmp_path


def test_a_new_rule_passes_the_checks_of_rules(checkout: Path) -> None:
    rule, fixture = new_rule("CU999", "written-by-a-test", checkout / "rules")
    assert rule == checkout / "rules" / "control" / "cu999_written_by_a_test.py"
    assert fixture.parent == checkout / "tests" / "rules" / "CU999"
    metadata = checkout / "new-1.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("[perflint.rules]\nnew = new_rules\n")
    (checkout / "new_rules").mkdir()
    rule.rename(checkout / "new_rules" / rule.name)
    done = subprocess.run(
        [sys.executable, "-c", CHECKS, str(checkout)],
        capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{checkout}{os.pathsep}{ROOT}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_new_rule_is_formatted(checkout: Path) -> None:
    rule, _ = new_rule("CU999", "written-by-a-test", checkout)
    ruff = [sys.executable, "-m", "ruff"]
    config = ("--config", str(ROOT / "pyproject.toml"))
    for command in (("check",), ("format", "--check")):
        done = subprocess.run([*ruff, *command, *config, str(rule)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("code", "name", "said"),
    [
        ("CU101", "written-by-a-test", "CU101 is uncoalesced-global-access"),
        ("CU999", "redundant-barrier", "CU902 is called 'redundant-barrier' already"),
        ("CU999", "Needless", "'Needless' is no name"),
        ("999", "written-by-a-test", "'999' is no code"),
        ("CU199", "written-by-a-test", "no family of rules has codes CU1xx; there are CU9"),
    ],
)
def test_what_cannot_be_a_rule(checkout: Path, code: str, name: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        new_rule(code, name, checkout)
    assert not list((checkout / "tests" / "rules").iterdir())


def test_nothing_is_overwritten(checkout: Path) -> None:
    rule, fixture = new_rule("CU999", "written-by-a-test", checkout)
    rule.unlink()
    fixture.write_text("mine")
    with pytest.raises(UserError, match="is there already; nothing was written"):
        new_rule("CU999", "written-by-a-test", checkout)
    assert fixture.read_text() == "mine"
    assert not rule.exists()


def test_a_rule_is_written_in_a_checkout_only(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is in no checkout of perflint"):
        new_rule("CU999", "written-by-a-test", tmp_path)


def test_facts_of_a_kernel(run: Run) -> None:
    out = run("dev", "facts", f"{ROOT}/examples/transpose.cu:transpose_naive").out
    assert out.startswith("kernel transpose_naive, ")
    assert "  parameter 2: int w\n" in out
    assert "store at line 22: global parameter 0, 4 bytes, pcs " in out
    assert "    strides  x 4*param(3, 0), y 4, z 0\n" in out
    assert "divergent branch at line 21, pc " in out


def test_facts_of_a_loop(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *p) { for (int i = 0; i < p[0]; i++) p[i] = 0.1 * p[i + 1]; }\n"
    )
    out = run("dev", "facts", str(source)).out
    assert re.search(r"^  loop at line 1, pcs \d+ to \d+, depth 1, data decide it$", out, re.M)
    assert re.search(r"^  doubles at pcs \d+", out, re.M)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("examples/transpose.cu:nothing", "there is no kernel nothing"),
        ("examples/transpose.cu:3", "name a kernel instead of a line"),
        ("examples/nothing.cu", "no such file"),
    ],
)
def test_facts_of_nothing(run: Run, place: str, said: str) -> None:
    done = run("dev", "facts", f"{ROOT}/{place}")
    assert done.status == 2 and said in done.err


def test_facts_for_no_gpu(run: Run) -> None:
    done = run("dev", "facts", f"{ROOT}/examples/transpose.cu", "--arch", "sm_1")
    assert done.status == 2 and "sm_1" in done.err
