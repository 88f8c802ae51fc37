"""Nothing is confirmed on a run that cannot be the real one, whatever the rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.work.pipeline import check
from tests.rules.test_rules import block

_KERNEL = re.compile(r"__global__[^;{]*\)\s*\{")
OVERRUN = "__shared__ volatile int beyond[1]; beyond[20000 + threadIdx.x] = 0;"
TRAP = 'asm volatile("trap;");'


def at_the_start(source: str, statement: str) -> str:
    """A source with a statement at the start of each kernel."""
    return _KERNEL.sub(lambda found: f"{found[0]} {statement}", source)


def at_the_end(source: str, statement: str) -> str:
    """A source with a statement at the end of each kernel."""
    out, at = "", 0
    for found in _KERNEL.finditer(source):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            end += 1
        out += source[at : end - 1] + statement
        at = end - 1
    return out + source[at:]


def of_examples(folder: Path, change: Callable[[str], str]) -> tuple[Finding, ...]:
    """What is found in the examples of all rules' pages, changed."""
    for info in rules().values():
        if "```cuda" in info.page:
            (folder / f"{info.code}.cu").write_text(change(block(info, "Example")))
    options = CheckOptions(rules=frozenset(rules()), root=folder, jobs=1)
    return check(sorted(folder.glob("*.cu")), options).findings


@pytest.mark.parametrize(
    ("change", "reason", "least"),
    [
        (lambda source: at_the_start(source, OVERRUN), "overran its shared memory", 20),
        (lambda source: at_the_end(source, TRAP), "ended in a trap", 10),
    ],
    ids=["overrun", "trap"],
)
def test_nothing_is_confirmed(
    change: Callable[[str], str], reason: str, least: int, tmp_path: Path
) -> None:
    found = [f for f in of_examples(tmp_path, change) if not f.code.startswith("CU00")]
    assert not [(f.code, f.message) for f in found if f.verdict == "confirmed"]
    assert len({f.code for f in found if reason in f.reason}) >= least
