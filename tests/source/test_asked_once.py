"""How often what stands before a launch is evaluated: once, however often it is asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from perflint.frontend.source.facts import read
from perflint.frontend.source.host.calls import frames
from perflint.frontend.source.host.objects import origins
from perflint.frontend.source.host.objects.origins import member_value
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.language.model import LaunchSite
from perflint.frontend.source.launches import formulas
from perflint.frontend.source.project.sight import Project

#: A condition that is out of sight, and variables that are looked up behind it.
VARIABLES = 8
CHOSEN = """
__global__ void k(int *p, int n) {{}}
void run(int *p, int wide) {{
    {declared}
    if (open(wide)) {{ {set} }}
    k<<<wide, {block}>>>(p, wide);
}}
"""


def _launches(count: int) -> tuple[LaunchSite, ...]:
    names = [f"v{i}" for i in range(count)]
    declared = " ".join(f"int {n} = 4;" for n in names)
    setting = " ".join(f"{n} = 8;" for n in names)
    text = CHOSEN.format(declared=declared, set=setting, block=" + ".join(names))
    return read(Path("asked.cu"), text).launches


def _required(monkeypatch: pytest.MonkeyPatch, count: int) -> Counter[str]:
    """How often each condition is evaluated for what a launch requires."""
    folded: Counter[str] = Counter()
    stated = formulas._stated

    def counted(session: Session):  # type: ignore[no-untyped-def]
        for each in stated(session):
            folded[each[0]] += 1
            yield each

    monkeypatch.setattr(formulas, "_stated", counted)
    _launches(count)
    monkeypatch.undo()
    return folded


def test_a_condition_that_many_variables_hang_on_is_required_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, many = _required(monkeypatch, 1), _required(monkeypatch, VARIABLES)
    assert few and many
    assert sum(many.values()) == sum(few.values())


def test_a_condition_that_is_asked_for_at_two_places_is_required_at_both() -> None:
    text = "void run(int n) { int a; if (n < 4) a = 1; n = 7; if (n < 4) a = 2; }"
    project = Project(Path("a.cu"), text, {})
    session = Session(project, invention=Invention())
    session.note("stated", "n < 4", True)
    places = [Environment(session, project.main, text.index(s)) for s in ("n < 4) a = 1", "a = 2")]
    for place in (*places, *places):
        session.ask("n < 4", place)
    assert [where.at for _, _, where in formulas._stated(session)] == [p.at for p in places]


def test_the_arguments_of_a_call_are_evaluated_once_for_what_it_returns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They were once for its value, and once more on the way into the function."""
    text = (
        "struct Size { int n; };\n"
        "Size made(int n, int spare) { Size s; s.n = n; return s; }\n"
        "void run() { int n = made(7, 3 + 4).n; }\n"
    )
    folded: Counter[str] = Counter()
    for module in (origins, frames):

        def counted(expression, place, fold=module.fold):  # type: ignore[no-untyped-def]
            folded["".join(expression.split())] += 1
            return fold(expression, place)

        monkeypatch.setattr(module, "fold", counted)
    project = Project(Path("a.cu"), text, {})
    place = Environment(Session(project), project.main, text.index("int n = made"))
    found = member_value(place, "made(7, 3 + 4).n")
    assert found is not None and found.number == 7
    assert folded["3+4"] == 1
