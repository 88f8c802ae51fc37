"""Calls that values are followed into."""

from __future__ import annotations

from pathlib import Path

from perflint.frontend.source.host.calls.results import enter
from perflint.frontend.source.host.objects.class_templates import class_argument
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.project.sight import Project

TEXT = """
template <typename T> int rounded(int a, int b, int c, int d) { return rounded<T>(a, b, c, d); }
void run(int a, int b, int c, int d) { int n = rounded<float>(a, b, c, d); }
"""
DEPTH, ENOUGH = 20, 2_000


def size(key: object) -> int:
    """The parts of a key, each as often as it stands in it; no further than is enough."""
    if not isinstance(key, tuple):
        return 1
    found = 1
    for part in key:
        found += size(part)
        if found > ENOUGH:
            break
    return found


def test_the_key_of_a_call_in_a_call_grows_by_sums() -> None:
    """It held its caller's once for each argument: four to the power of the depth."""
    project = Project(Path("a.cu"), TEXT, {})
    place = Environment(Session(project), project.main, TEXT.index("int n"))
    for _ in range(DEPTH):
        inside = enter(place, "rounded<float>", ("a", "b", "c", "d"))
        assert inside is not None
        place = inside
    assert size(place.key) < ENOUGH


def test_what_stands_around_a_launch_is_not_chosen_otherwise_while_values_are_invented() -> None:
    project = Project(Path("a.cu"), TEXT, {})
    session = Session(project, invention=Invention())
    session.presume("f", "maps.size()", True)
    assert session.branch("f", "maps . size ( )") is True
    assert session.branch("f", "other") is False


def test_a_class_of_which_a_member_sees_fewer_instances_than_another_one_did() -> None:
    text = (
        "template <class T> struct Table { void own(); void other(); };\n"
        "template <class T> void Table<T>::own() { Table<float> made; }\n"
        "template <class T> void Table<T>::other() { int n; }\n"
        "Table<double> made;\n"
    )
    project = Project(Path("a.cu"), text, {})
    session = Session(project, choices={("class", "Table"): 1})
    there = Environment(session, project.main, text.index("int n"))
    own = Environment(session, project.main, text.index("made"))
    found = class_argument("T", there)
    assert found is not None and found[0] == "double"
    assert class_argument("T", own) is None
