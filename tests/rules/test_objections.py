"""Each objection that can meet a rule is met in a test: in a fixture, or in a changed example."""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perflint.grammar.model import Location
from perflint.lint.objections import library
from perflint.lint.rulebook import rules
from perflint.lint.ruleset import load
from perflint.lint.value_objections import friendlier_values
from perflint.lint.verdict import OBJECTIONS
from tests.rules.changed_examples import CHANGES, answers
from tests.rules.expectations import read
from tests.rules.impossible import IMPOSSIBLE
from tests.rules.test_rules import SOURCES

Pairs = set[tuple[str, str]]  #: a rule's code, and an objection's name

KERNEL_RULES = load(frozenset(rules())).kernel
RULES = {module.RULE.code: module.RULE for module in KERNEL_RULES}
MODULES = {module.RULE.code: str(vars(module)["__name__"]) for module in KERNEL_RULES}
CLAIMS = {each.name: each.claims for each in OBJECTIONS}


#: What a rule sets of its case for an objection to hold.
SETS = {
    "nothing to report": ("nothing", "silent"),
    "invented data decides": ("data",),
    "assumed block": ("assumed",),
    "cut short without a steady loop": ("cut",),
    "the rule's own": ("doubt",),
}


@cache
def written(module: str) -> frozenset[str]:
    """What a module of the rules, and those it imports, call `nothing` or set of a `Case`."""
    found = find_spec(module)
    assert found is not None and found.origin is not None
    tree = ast.parse(Path(found.origin).read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    words = {
        word.arg
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("Case", "replace")
        for word in call.keywords
        if word.arg
    }
    imported = [
        node.module + (f".{name.name}" if find_spec_of(node.module, name.name) else "")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("perflint.rules")
        for name in node.names
        if node.module
    ]
    return frozenset(names & {"nothing"} | words).union(
        *(written(each) for each in imported if each not in PLAIN)
    )


#: These hold what is set, and set nothing.
PLAIN = ("perflint.rules", "perflint.rules.case", "perflint.rules.protocol")


def find_spec_of(package: str, name: str) -> bool:
    """Whether a name that is imported from a package is a module."""
    spec = find_spec(package)
    assert spec is not None
    return spec.submodule_search_locations is not None and bool(find_spec(f"{package}.{name}"))


def unset() -> Pairs:
    """Objections that no rule's file gives a reason for."""
    return {
        (code, name)
        for code, name in asked()
        if name in SETS and written(MODULES[code]).isdisjoint(SETS[name])
    } | {
        (code, "too small to report")
        for code, name in asked()
        if name == "too small to report" and not RULES[code].floor and not RULES[code].sums
    }


def asked() -> Pairs:
    """What the engine asks of which rule."""
    return {
        (code, name)
        for code, rule in RULES.items()
        for name, claims in CLAIMS.items()
        if rule.claim in claims and name not in dict(rule.waives)
    }


def in_fixtures() -> Pairs:
    return {(e.code, e.objection) for path in SOURCES for e in read(path) if e.objection}


def changed(name: str) -> dict[str, str]:
    """By rule, the objection that decides of its changed example; "": none does."""
    change = CHANGES[name]
    codes = change.rules or [code for code, objection in asked() if objection == name]
    return {code: change.instead.get(code, name) for code in codes}


def in_examples() -> Pairs:
    return {pair for name in CHANGES for pair in changed(name).items() if pair[1]}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_example(name: str, tmp_path: Path) -> None:
    expected = changed(name)
    decided = {
        code: {a.objection for a in answers(rules()[code], CHANGES[name], tmp_path)}
        for code in sorted(expected)
    }
    assert not {
        code: found for code, found in decided.items() if expected[code] not in found | {""}
    }


def test_every_pair_is_met() -> None:
    met = in_fixtures() | in_examples()
    assert sorted(asked() - met - unset() - IMPOSSIBLE.keys()) == []


def test_what_is_met_is_possible() -> None:
    met = in_fixtures() | in_examples()
    assert sorted(met & (unset() | IMPOSSIBLE.keys())) == []


def test_what_is_excused_is_asked() -> None:
    assert sorted(IMPOSSIBLE.keys() - asked()) == []
    assert sorted(unset() & IMPOSSIBLE.keys()) == []


def test_only_what_is_asked_is_met() -> None:
    assert sorted(in_fixtures() - asked()) == []


@pytest.mark.parametrize(
    ("values", "block", "answered"),
    [({1: 256}, (16, 1, 1), False), ({1: 8}, (16, 1, 1), True), ({1: 256}, (64, 1, 1), True)],
)
def test_a_run_with_the_same_block_and_arguments_has_no_friendlier_values(
    values: dict[int, int], block: tuple[int, int, int], answered: bool
) -> None:
    def trial(name: str, values: dict[int, int], block: tuple[int, int, int]) -> SimpleNamespace:
        run = SimpleNamespace(launch=SimpleNamespace(block=block))
        known = {"identity": False, "unit_stride": (), "reached_with": ""}
        return SimpleNamespace(name=name, values=values, run=run, **known)

    came = SimpleNamespace(trial=trial("sizes near 1,280", {1: 256}, (16, 1, 1)), full=False)
    site = SimpleNamespace(loaded_address=False)
    case: Any = SimpleNamespace(
        proved=False,
        figures=[came],
        formulas=[],
        unreached=[trial("sizes near 96", values, block)],
        suspicion=SimpleNamespace(site=site),
    )
    assert bool(friendlier_values(case)) is answered


@pytest.mark.parametrize(
    ("file", "own_banks", "owner"),
    [
        ("/opt/include/cub/block/block_exchange.cuh", True, "CUB"),
        # which way a block loads its tile the program chooses
        ("/opt/include/cub/block/block_load.cuh", False, ""),
        ("/home/me/cub/sort.cu", True, ""),
        ("perflint/curand_kernel.h", False, "cuRAND"),
    ],
)
def test_whose_code_it_is(file: str, own_banks: bool, owner: str) -> None:
    assert library(Location(file, 37, 1), own_banks=own_banks) == owner
