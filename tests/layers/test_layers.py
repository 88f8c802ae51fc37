"""The layers of the code: which part may import which, and no module in a circle."""

from __future__ import annotations

import re

import pytest

from tests.layers.modules import ROOT, circles, imported_by, imports, modules

_FRONTENDS = ("frontend.source", "frontend")
_BELOW_LAUNCHES = tuple(f"frontend.source.{name}" for name in ("language", "project", "host"))
_LANGUAGE = ("base", "grammar")
_BELOW_LINT = (*_LANGUAGE, "sim", "analysis", "symbolic", *_FRONTENDS, "rules")

#: What each part may import besides itself and the parts inside it. A module belongs to the longest
#: name that fits; one that fits none is at the top and may import everything: commands, reports,
#: the Python API.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "base": (),
    "grammar": (),
    "sim": ("grammar",),
    "analysis": _LANGUAGE,
    "symbolic": ("grammar", "sim"),
    "frontend.source.language": ("base",),
    "frontend.source.project": ("base", "frontend.source.language"),
    "frontend.source.host": ("base", "frontend.source.language", "frontend.source.project"),
    "frontend.source.launches": ("base", *_BELOW_LAUNCHES),
    "frontend.source": ("base",),
    "frontend": (*_LANGUAGE, "frontend.source"),
    "rules": (*_LANGUAGE, "sim", "analysis"),
    "lint": _BELOW_LINT,
    "cache": (*_BELOW_LINT, "lint"),
    "work": (*_BELOW_LINT, "lint", "cache", "cluster"),
    "cluster": (*_BELOW_LINT, "lint", "cache", "work"),
}

#: The package itself holds its version, and loads the Python API when that is asked for; the other
#: is the standard library's `dataclass`, made when it is used.
EVERYBODYS = frozenset({"perflint", "perflint.base.records"})

#: Its modules lead to each other: to know a value of the host code is to evaluate its callers,
#: callees, objects and structures, and each of these asks for values again.
HOST = "frontend.source.host"

#: Modules that lead to each other and cannot but do so. A circle that is none of these fails.
CIRCLES: dict[str, frozenset[str]] = {
    "an atom of an expression holds expressions: `a % b`": frozenset(
        {"analysis.polynomial", "analysis.symbols"}
    ),
    "a term of C knows its type, and types are named by terms (`decltype`)": frozenset(
        {"frontend.source.language.c_types", "frontend.source.language.terms"}
    ),
    "a launch's result holds the memory that the launch filled": frozenset(
        {"sim.fills", "sim.final_memory", "sim.launch", "sim.memory"}
    ),
    "what a kernel calls of the device runtime works on the device that calls it": frozenset(
        {"sim.affine_memory", "sim.device", "sim.images", "sim.system_calls"}
    ),
}


def part_of(module: str) -> str:
    """The part of a module; "" at the top."""
    inside = module.removeprefix("perflint.")
    fitting = [part for part in MAY_IMPORT if f"{inside}.".startswith(f"{part}.")]
    return max(fitting, key=len, default="")


def family_of(module: str) -> str:
    """The family of rules that a module belongs to; "" for what is none's.

    What rules of two families share stands beside these.
    """
    parts = module.removeprefix("perflint.").split(".")
    return parts[1] if parts[0] == "rules" and len(parts) == 3 else ""


def test_each_part_imports_only_what_is_below_it() -> None:
    wrong = [
        f"{module}:{line} imports {imported}"
        for module, found in imports().items()
        if (part := part_of(module))
        for imported, line in found.items()
        if imported not in EVERYBODYS
        and not any(f"{part_of(imported)}.".startswith(f"{p}.") for p in (part, *MAY_IMPORT[part]))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_page_on_the_architecture_says_the_same() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    written = {part: tuple(re.findall(r"[\w.]+", below)) for part, below in rows}
    assert {part: set(below) for part, below in written.items()} == {
        part: set(below) for part, below in MAY_IMPORT.items()
    }


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_pages_for_contributors_name_what_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z0-9_]+/)+(?:[a-z0-9_]+\.[a-z]+)?)`", text))
    assert len(named) > 10
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_part_is_there() -> None:
    assert {part_of(module) for module in modules()} == {"", *MAY_IMPORT}


def test_families_of_rules_stand_apart() -> None:
    wrong = [
        f"{module}:{line} imports {imported}"
        for module, found in imports().items()
        for imported, line in found.items()
        if family_of(module) != family_of(imported) and family_of(imported) and family_of(module)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_imports_but_those_that_must_be() -> None:
    found = [{m.removeprefix("perflint.") for m in circle} for circle in circles(imports())]
    others = [circle for circle in found if {part_of(module) for module in circle} != {HOST}]
    assert sorted(map(sorted, others)) == sorted(map(sorted, CIRCLES.values()))


@pytest.mark.parametrize(
    "source",
    [
        "from perflint.work import pipeline",
        "from perflint.work.pipeline import check",
        "import perflint.work.pipeline as p",
        "def f():\n    from perflint.work.pipeline import check",
        "if TYPE_CHECKING:\n    from perflint.work.pipeline import check",
        "import_module('perflint.work.pipeline')",
    ],
)
def test_every_kind_of_import_is_seen(source: str) -> None:
    known = frozenset({"perflint.work", "perflint.work.pipeline"})
    assert [name for name, _ in imported_by(source, known)] == ["perflint.work.pipeline"]


def test_circles_are_found() -> None:
    graph = {"a": {"b": 1}, "b": {"c": 1, "d": 1}, "c": {"a": 1}, "d": {"e": 1}, "e": {}}
    assert circles(graph) == [frozenset("abc")]
