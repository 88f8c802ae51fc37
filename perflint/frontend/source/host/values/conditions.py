"""Whether conditions of the host code hold: as they fold, as a GPU answers, or as a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.told import told_expression
from perflint.frontend.source.host.options.keyed_options import keyed_condition
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.device_properties import answered, words
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.language.terms import Root
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.project.answers import OWN

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

Told = TypeVar("Told")

#: Calls that give a length, of a tensor or a container.
_LENGTH = pattern(r"\b(?:size|numel|length|count|strlen)\s*\(")


def holds(place: Environment, condition: str) -> bool | None:
    """Whether a condition holds; one that is out of sight is a choice."""
    text = spell(bare(tokenize(condition)))
    with place.session.reading(), place.session.by_what_is_told():
        value = fold(text, place)
    if value is not None and value.term is not None and value.term.turns:
        return None  # now this, now that
    if value is None and (answer := _answered(place, text)) is not None:
        holds, why = answer
        place.session.note("runs", f"`{text}` is {str(holds).lower()}, {why}")
        return holds
    if value is None and (ran := told_expression(place, f"({text})")) is not None:
        return bool(ran.number)
    return place.branch(text) if value is None else bool(value.number)


def _answered(place: Environment, condition: str) -> tuple[bool, str] | None:
    """Whether a condition holds that hangs on nothing but what the GPU is asked, and as what."""
    function, session, body = place.function, place.session, place.body()
    if function is None or body is None or not session.answering:
        return None
    if not answered(body, function.source.text_of(function.node)) & words(condition):
        return None
    alone = place.outer is not None or bool(place.bound)
    key = ("answer", condition, place.key)
    return session.remembered(key, lambda: _answer(place, condition), not alone)


def _answer(place: Environment, condition: str) -> tuple[bool, str] | None:
    return told(place, condition, _truth)


def told(
    place: Environment, condition: str, tell: Callable[[Value | None, Sequence[Root]], Told]
) -> Told:
    """What is told of a condition by its value, with roots for what reading cannot tell."""
    session, invention = place.session, Invention()
    fresh = Session(session.project, session.choices, invention=invention, answering=False)

    def find() -> Told:
        value = fold(condition, place.under(fresh))
        fresh.notes = [note for note in fresh.notes if note[0] != OWN]  # none of it leaves here
        return tell(value, tuple(invention.roots.values()))

    alone = place.outer is not None or bool(place.bound)
    found = fresh.remembered(("told", tell, condition, place.key), find, not alone)
    for kind, key, value in fresh.notes:
        if kind == "choice":
            session.note(kind, key, value)
        session.cuts += kind == "asks"
    return found


def is_taken(place: Environment, region: Region) -> bool | None:
    """Whether a branch is taken on the way to a place."""
    condition = region.node.child_by_field_name("condition")
    if condition is None:
        return None
    text = place.file.source.text_of(condition).strip()
    known = place.moved(condition.start_byte).holds(text)
    return None if known is None else known == (region.kind == "then")


def decides(place: Environment, region: Region) -> bool | None:
    """As `is_taken`, for a number that is wanted.

    None also where both arms go on and the condition is computed of roots: then the number is a
    formula of both (`local_values.merged`), and no choice.
    """
    session, body = place.session, place.body()
    condition = region.node.child_by_field_name("condition")
    wanted = session.answering and (session.inventing or not session.asking)
    if condition is not None and body is not None and wanted:
        there = place.moved(condition.start_byte)
        text = spell(bare(tokenize(place.file.source.text_of(condition))))
        if (given := keyed_condition(there, text)) is not None:
            return given == (region.kind == "then")
        value = fold(text, there)
        if value is not None and value.term is None:
            return bool(value.number) == (region.kind == "then")
        arms = [r for r in body.regions if r.group == region.group]
        goes_on = not any(r.leaves for r in arms)
        looped = any(r.kind == "loop" for r in body.enclosing(place.at))
        open_ = not looped and not there.is_chosen(text)
        if open_ and goes_on and _is_computed(there, text):
            return None
        if open_ and (holds := _by_defaults(there, text)) is not None:
            session.note("stated", text, holds)
            return holds == (region.kind == "then")
    return is_taken(place, region)


def _is_computed(place: Environment, condition: str) -> bool:
    """Whether a condition is computed of roots that the program is not told from outside."""
    if (invention := place.session.invention) is not None and place.inventing:
        return _hangs_on_sizes(fold(condition, place), tuple(invention.roots.values()))
    alone = place.outer is not None or bool(place.bound)
    key = ("computed", condition, place.key)

    def find() -> bool:
        return told(place, condition, _hangs_on_sizes)

    return place.session.remembered(key, find, not alone)


def _by_defaults(place: Environment, condition: str) -> bool | None:
    """Whether a condition holds where nobody asks for other values: `if (n == -1) n = 1024;`."""
    alone = place.outer is not None or bool(place.bound)
    key = ("by default", condition, place.key)

    def find() -> bool | None:
        return told(place, condition, _default_truth)

    return place.session.remembered(key, find, not alone)


def _default_truth(value: Value | None, roots: Sequence[Root]) -> bool | None:
    if value is None or value.term is None or value.term.turns or not value.term.roots:
        return None
    given = all(roots[root].default is not None for root in value.term.roots)
    return bool(value.number) if given else None


def _hangs_on_sizes(value: Value | None, roots: Sequence[Root]) -> bool:
    if value is None or value.term is None or value.term.turns or not value.term.roots:
        return False
    return all(_is_size(roots[root]) for root in value.term.roots)


def _is_size(root: Root) -> bool:
    """Whether a root is a size or a flag of the code's own: no call but for a length."""
    given = root.default is not None or root.why or "argc" in root.name
    return not given and ("(" not in root.name or _LENGTH.search(root.name) is not None)


def _truth(value: Value | None, roots: Sequence[Root]) -> tuple[bool, str] | None:
    """The truth of a condition that is computed of nothing but what the GPU answers."""
    if value is None or value.term is None or value.term.turns:
        return None
    reasons = dict.fromkeys(roots[r].why for r in sorted(value.term.roots))
    return (bool(value.number), " and ".join(reasons)) if reasons and all(reasons) else None
