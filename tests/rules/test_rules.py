"""The rules against their test sources, and their pages against themselves."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from perflint import frontend
from perflint.analysis import analyse
from perflint.grammar import parse
from perflint.lint.experiment import plans
from perflint.lint.findings import Finding, Result
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import RuleInfo, rules
from perflint.sim import simulate
from perflint.sim.tracers.accesses import AccessCounter
from perflint.work.pipeline import check
from tests.rules.expectations import problems, read

HERE = Path(__file__).parent
SOURCES = sorted([*HERE.glob("CU*/*.cu"), *HERE.glob("CU*/*.ptx"), *HERE.glob("objections/*.cu")])
HEADINGS = [
    "What it does",
    "Why it is slow",
    "Example",
    "Use instead",
    "How it is confirmed",
    "When to ignore it",
    "Options",
    "References",
]


def run(path: Path) -> Result:
    """What comes of a source, for the GPUs that a comment in it names: `// --arch sm_10`."""
    arch = tuple(re.findall(r"--arch (sm_\d+)", path.read_text()))
    options = CheckOptions(rules=frozenset(rules()), root=path.parent, arch=arch, explain=True)
    return check([path], options)


def lint(path: Path) -> tuple[Finding, ...]:
    """All findings of a source."""
    return run(path).findings


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_source(path: Path) -> None:
    found = run(path)
    assert not list(problems(list(read(path)), found.findings, found.accounts))


#: Those that `check` may find; tests/stress has the others'.
CHECKED = [info for info in rules().values() if info.subject != "input"]


@pytest.mark.parametrize("info", CHECKED, ids=lambda i: i.code)
class TestPage:
    def test_headings(self, info: RuleInfo) -> None:
        assert re.findall(r"^## (.*)$", info.page, re.MULTILINE) == HEADINGS

    def test_sources_exist(self, info: RuleInfo) -> None:
        assert any(path.parent.name == info.code for path in SOURCES)

    def test_example_fires_just_this_rule(self, info: RuleInfo, tmp_path: Path) -> None:
        example = tmp_path / "example.cu"
        example.write_text(block(info, "Example"))
        codes = Counter(f.code for f in lint(example) if f.verdict == "confirmed")
        assert codes.keys() == {info.code}

    def test_use_instead_fires_nothing(self, info: RuleInfo, tmp_path: Path) -> None:
        better = tmp_path / "better.cu"
        better.write_text(block(info, "Use instead"))
        assert not lint(better)


@pytest.mark.parametrize(("code", "space"), [("CU101", "global"), ("CU201", "shared")])
def test_use_instead_simulates_better(code: str, space: str, tmp_path: Path) -> None:
    before = excess(block(rules()[code], "Example"), space, tmp_path)
    after = excess(block(rules()[code], "Use instead"), space, tmp_path)
    assert after < before / 8


def excess(source: str, space: str, folder: Path) -> float:
    """What the one kernel of a source moves above its golden execution, as a share of it."""
    path = folder / "page.cu"
    path.write_text(source)
    compilation = frontend.compile_file(path)
    assert compilation.ptx is not None
    module = parse(compilation.ptx)
    (kernel,) = module.kernels
    (plan,), _ = plans(analyse(module, kernel), [f"p{i}" for i in range(len(kernel.parameters))])
    counter = AccessCounter()
    simulate(module, kernel, plan.conditions[0].launch, tracers=[counter])
    counts = [count for count in counter.counts.values() if count.space == space]
    assert counts
    return sum(c.excess for c in counts) / sum(c.golden for c in counts)


def block(info: RuleInfo, heading: str) -> str:
    """The code under a heading of a rule's page."""
    section = info.page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    code = re.search(r"```cuda\n(.*?)```", section, re.DOTALL)
    assert code, f"{info.code}: no code under {heading!r}"
    return code[1]
