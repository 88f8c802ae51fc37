"""Rules that another distribution adds: a package named by an entry point, walked like ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from perflint.lint.rule_packages import packages

RULE = '''"""## What it does
Finds `__nanosleep`.
"""

from perflint.rules.case import Case, Figure
from perflint.rules.protocol import Rule, Suspicion, Told
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="ACME101",
    name="sleep",
    summary="A warp sleeps.",
    since="1.0",
    status="stable",
    tracers=("Instruction",),
)


def suspect(kernel):
    for each in kernel.facts.kernel.instructions:
        if each.opcode == "nanosleep":
            yield Suspicion("sleep", kernel, (each.index,))


def measure(suspicion, original, results):
    shown = [(t, t.tracer(Instruction).executed.get(suspicion.pcs[0], (0, 0))[0]) for t in original]
    return Case(suspicion, tuple(Figure(t, n / t.run.warps, 0, n > 0) for t, n in shown))


def describe(suspicion, decision):
    return Told(f"each warp sleeps {decision.shown.measured:g} time(s)")
'''
KERNEL = """\
__global__ void k(int *p) { __nanosleep(100); p[threadIdx.x] = 1; }
void launch(int *p) { k<<<128, 128>>>(p); }
"""


def perflint(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with what lies in tmp_path installed."""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "c")}
    return subprocess.run(
        [sys.executable, "-m", "perflint", *arguments],
        capture_output=True, text=True, env=environment, cwd=tmp_path,
    )  # fmt: skip


def distribution(
    tmp_path: Path, rule: str = RULE, entry: str = "acme = acme_rules.sleeping"
) -> None:
    """Install a distribution with a package of rules."""
    metadata = tmp_path / "acme-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[console_scripts]\nacme = acme:main\n\n[perflint.rules]\n{entry}\n"
    )
    package = tmp_path / "acme_rules" / "sleeping" / "family"
    package.mkdir(parents=True)
    for folder in (package, *package.parents[:2]):
        (folder / "__init__.py").write_text("")
    # importing the package would show
    (tmp_path / "acme_rules" / "__init__.py").write_text("print('imported')\n")
    (package / "acme101_sleep.py").write_text(rule)
    (tmp_path / "k.cu").write_text(KERNEL)


def test_a_rule_of_another_distribution_runs(tmp_path: Path) -> None:
    distribution(tmp_path)
    done = perflint(tmp_path, "--output-format", "json", "--select", "ACME1", "k.cu")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout.removeprefix("imported\n"))
    assert (finding["code"], finding["location"]["row"]) == ("ACME101", 1)
    assert finding["message"] == "each warp sleeps 1 time(s)"


def test_its_page_is_read_without_importing_it(tmp_path: Path) -> None:
    distribution(tmp_path)
    done = perflint(tmp_path, "rule", "ACME101")
    assert done.stdout.startswith("ACME101 sleep\nA warp sleeps.\n")
    assert "ACME101" in perflint(tmp_path, "rule").stdout


def test_a_result_is_kept_until_its_rules_change(tmp_path: Path) -> None:
    distribution(tmp_path)
    asked = ("--output-format", "concise", "k.cu")
    assert "sleeps 1 time(s)" in perflint(tmp_path, *asked).stdout
    assert "imported" not in perflint(tmp_path, *asked).stdout, "it was not kept"
    file = tmp_path / "acme_rules" / "sleeping" / "family" / "acme101_sleep.py"
    file.write_text(RULE.replace("each warp sleeps", "every warp sleeps"))
    assert "every warp sleeps" in perflint(tmp_path, *asked).stdout


@pytest.mark.parametrize(
    ("rule", "entry", "said"),
    [
        (RULE, "acme = acme_lost.rules", "module acme_lost.rules, which is not installed"),
        (RULE, "acme = acme_rules.lost", "module acme_rules.lost, which is not installed"),
        ("X = 1\n", "acme = acme_rules", "holds no rule"),
        (RULE.replace('"sleep",', "NAME,"), "acme = acme_rules", "RULE must hold literals only"),
        (RULE.replace("def suspect", "def"), "acme = acme_rules", "SyntaxError: invalid syntax"),
        (RULE.replace("ACME101", "CU101"), "acme = acme_rules", "CU101, which"),
        (RULE.replace("ACME101", "acme-1"), "acme = acme_rules", "must be capitals and digits"),
        ("import nothing_such\n" + RULE, "acme = acme_rules", "No module named 'nothing_such'"),
        (RULE.replace("def measure", "def weigh"), "acme = acme_rules", "has no `measure`"),
    ],
)  # fmt: skip
def test_a_broken_one_is_told_in_a_line(tmp_path: Path, rule: str, entry: str, said: str) -> None:
    distribution(tmp_path, rule, entry)
    done = perflint(tmp_path, "k.cu")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("perflint: ") and "entry point 'acme'" in line and said in line


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("def suspect(kernel):\n    yield 1 / 0\n", "failed (ZeroDivisionError: division by zero)"),
        ("def measure(*_):\n    raise KeyError('a')\n", "failed (KeyError: 'a')"),
        ("def measure(*_):\n    return None\n", "answered NoneType where Case is meant"),
        ("def describe(*_):\n    return 'slow'\n", "answered str where Told is meant"),
    ],
)
def test_one_that_fails_is_named(tmp_path: Path, function: str, said: str) -> None:
    distribution(tmp_path, f"{RULE}\n\n{function}")
    done = perflint(tmp_path, "--select", "ACME101,CU002", "--output-format", "concise", "k.cu")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    name = function[4:].split("(")[0]
    whose = f"`{name}` of the rule ACME101, which the entry point 'acme' (perflint.rules) adds"
    assert f"{whose}, {said}" in done.stdout + done.stderr
    assert "please report it" not in done.stdout + done.stderr
    assert perflint(tmp_path, "--ignore", "ACME101", "k.cu").returncode < 2


def test_our_own_are_first() -> None:
    assert packages()[0].module == "perflint.rules"
    assert not packages()[0].added_by
