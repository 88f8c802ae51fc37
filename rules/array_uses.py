"""Where a function uses an array, if each use is a plain subscript."""

from __future__ import annotations

import re
from collections.abc import Collection

from perflint.base.constructs import (
    Constructs,
    Declaration,
    Fragment,
    FunctionSource,
    contains,
    within,
)
from perflint.base.patterns import pattern

_WORDS = pattern(r"[A-Za-z_]\w*")


def uses_of(
    constructs: Constructs,
    function: FunctionSource,
    name: str,
    known: Collection[FunctionSource] = (),
) -> list[Fragment] | None:
    """The subscripts that are an array's uses, beside calls that pass it on; None at others."""
    macros = (*constructs.macros, *constructs.function_macros)
    if any(name in _WORDS.findall(macro.body) for macro in macros):
        return None
    declared = declared_in(constructs, function, name)
    places = [declared] if declared is not None else pointers_in(constructs, function, name)
    if not places and not is_parameter(function, name):
        return None
    if declared is not None and declared.extents and "=" in declared.extents[0].text:
        return None
    subscripts = {
        (s.span.line, s.span.column): s for s in within(constructs.subscripts, function.body)
    }
    passed = {
        (argument.span.line, argument.span.column)
        for call in within(constructs.calls, function.body)
        for argument in call.arguments
        if argument.text == name and any(f.name == call.name for f in known)
    }
    uses: list[Fragment] = []
    for used in within(constructs.names, function.body):
        at = (used.span.line, used.span.column)
        if used.text != name or at in passed:
            continue
        if any(contains(each.span, used.span) for each in places):
            continue
        found = subscripts.get(at)
        if found is None or _is_pointer(constructs, found, name):
            return None
        uses.append(found)
    return uses


def is_parameter(function: FunctionSource, name: str) -> bool:
    return any(p.name == name for p in function.parameters)


def declared_in(constructs: Constructs, function: FunctionSource, name: str) -> Declaration | None:
    """The array's declaration with one extent, where the function has it."""
    named = [d for d in within(constructs.declarations, function.body) if d.name == name]
    plain = (d for d in named if "__shared__" in d.qualifiers and len(d.extents) <= 1)
    return next(plain, None) if len(named) == 1 else None


def pointers_in(constructs: Constructs, function: FunctionSource, name: str) -> list[Declaration]:
    """The declarations of a pointer into a shared array; several where `#if` chooses one."""
    named = [d for d in within(constructs.declarations, function.body) if d.name == name]
    statements = [constructs.statement_of(d.span) for d in named]
    texts = [s.text for s in constructs.statements if s.span in statements]
    plain = all("*" in text.split("=")[0] and "=" in text for text in texts)
    return named if plain and len(texts) == len(named) else []


def _is_pointer(constructs: Constructs, use: Fragment, name: str) -> bool:
    """Whether an element's address is taken, but for an atomic's."""
    statement = constructs.statement_at(use.span)
    text = statement.text if statement is not None else ""
    taken = len(re.findall(rf"&\s*\(?\s*{name}\s*\[", text))
    atomics = len(re.findall(rf"\batomic\w+\s*\(\s*&\s*{name}\s*\[", text))
    return taken > atomics or statement is None
