"""Loops that count from zero, `for (i = 0; i < n; i++)`, and how many turns they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.tokens import spell, split, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: What ends a loop early, or may.
_LEAVES = pattern(r"\b(?:break|continue|goto|return|throw|exit|abort|co_\w+)\b")


def counted_from_zero(region: Region, there: Environment) -> tuple[str, str] | None:
    """The counter and the bound of `for (i = 0; i < n; i++)`."""
    source = there.file.source
    fields = ("initializer", "condition", "update")
    texts = [region.node.child_by_field_name(f) for f in fields]
    if region.node.type != "for_statement" or None in texts:
        return None
    start, condition, update = (tokenize(source.text_of(n)) for n in texts if n is not None)
    sides = next((s for m in ("<", "<=") if len(s := split(condition, m)) == 2), [])
    name = spell(sides[0]) if sides else ""
    words = [t.text for t in start if t.text != ";"]
    steps = {f"{name}++", f"++{name}", f"{name}+=1", f"{name}={name}+1"}
    plain = words[-3:] == [name, "=", "0"] and "," not in words
    return (name, spell(sides[1])) if plain and "".join(t.text for t in update) in steps else None


def turns(region: Region, there: Environment) -> str | None:
    """How many turns a loop makes, as an expression before it; None where that is not plain."""
    body, counted = there.body(), counted_from_zero(region, there)
    node = region.node.child_by_field_name("body")
    if body is None or counted is None or node is None:
        return None
    name, bound = counted
    condition = region.node.child_by_field_name("condition")
    text = there.file.source.text_of(node)
    whole = "<=" in there.file.source.text_of(condition) if condition is not None else True
    if whole or "(" in bound or _LEAVES.search(text):
        return None
    used = {name, *(t.text for t in tokenize(bound) if t.kind == "name")}
    written = (d for each in used for d in body.definitions.get(each, ()))
    if any(node.start_byte <= d.start < node.end_byte for d in written):
        return None
    return f"(({bound}) > 0 ? ({bound}) : 0)"
