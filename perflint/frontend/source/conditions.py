"""Whether conditions of the host code hold: as they fold, as a GPU answers, or as a choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.c_types import Value
from perflint.frontend.source.choices import Session
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import Region
from perflint.frontend.source.device_properties import WHY, answered, words
from perflint.frontend.source.invention import Invention
from perflint.frontend.source.terms import Root
from perflint.frontend.source.tokens import bare, spell, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment


def holds(place: Environment, condition: str) -> bool | None:
    """Whether a condition holds; one that is out of sight is a choice."""
    text = spell(bare(tokenize(condition)))
    with place.session.reading():
        value = fold(text, place)
    if value is not None and value.term is not None and value.term.turns:
        return None  # now this, now that
    if value is None and (told := _answered(place, text)) is not None:
        place.session.note("runs", f"`{text}` is {str(told).lower()}, {WHY}")
        return told
    return place.branch(text) if value is None else bool(value.number)


def _answered(place: Environment, condition: str) -> bool | None:
    """Whether a condition holds that hangs on nothing but what the GPU is asked."""
    function, session, body = place.function, place.session, place.body()
    if function is None or body is None or not session.answering:
        return None
    if not answered(body, function.source.text_of(function.node)) & words(condition):
        return None
    alone = place.outer is not None or bool(place.bound)
    key = ("answer", condition, place.key)
    return session.remembered(key, lambda: _answer(place, condition), not alone)


def _answer(place: Environment, condition: str) -> bool | None:
    session, invention = place.session, Invention()
    fresh = Session(session.project, session.choices, invention=invention, answering=False)
    there = place.under(fresh)
    told = _truth(fold(condition, there), tuple(invention.roots.values()))
    for kind, key, value in fresh.notes:
        if kind == "choice":
            session.note(kind, key, value)
        session.cuts += kind == "asks"
    return told


def is_taken(place: Environment, region: Region) -> bool | None:
    """Whether a branch is taken on the way to a place."""
    condition = region.node.child_by_field_name("condition")
    if condition is None:
        return None
    text = place.file.source.text_of(condition).strip()
    known = place.moved(condition.start_byte).holds(text)
    return None if known is None else known == (region.kind == "then")


def _truth(value: Value | None, roots: Sequence[Root]) -> bool | None:
    """The truth of a condition that is computed of nothing but what the GPU answers."""
    if value is None or value.term is None or value.term.turns:
        return None
    return bool(value.number) if all(roots[r].why for r in value.term.roots) else None
