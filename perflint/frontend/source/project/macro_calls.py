"""Calls in the bodies of macros: `#define BENCH(T) bench<T>(#T)`, where `BENCH(float)` stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from perflint.frontend.source.language.declarations import Call
from perflint.frontend.source.language.macros import ExpansionError, Macro, expand
from perflint.frontend.source.language.preprocessor import Preprocessed
from perflint.frontend.source.language.tokens import spell, tokenize
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

_USES = 1_000  #: uses of one macro that are expanded


def expanded_uses(file: File, holds: Callable[[Macro], bool]) -> Iterator[tuple[File, Call]]:
    """The uses, in functions, of function-like macros: what each expands to, as a file."""
    known = ((name, m) for name, macros in file.unit.used.items() for m in macros)
    macros = [(name, m) for name, m in known if m.parameters is not None]
    fresh = holders = {name for name, macro in macros if holds(macro)}
    while fresh:  # and those that use one
        fresh = {n for n, m in macros if any(t.text in fresh for t in m.body)} - holders
        holders = holders | fresh
    for name in sorted(holders & set(file.declarations.calls)):
        for call in file.declarations.calls[name][:_USES]:
            if file.declarations.function_at(call.node.start_byte) is None:
                continue  # at the margin, see File.expansion
            defined = file.macros_at(call.node.start_byte)
            try:
                written = file.source.written_at(call.node)
                tokens = expand(tokenize(written), defined)
            except ExpansionError:
                continue
            text = f"void expansion() {{ {_as_statements(file, call.node, spell(tokens))} }}"
            yield File(Preprocessed(file.path, text, defined)), call


def _as_statements(file: File, use: Node, text: str) -> str:
    """What a macro's use expands to with what it takes from around itself to be statements.

    `else if (n == 4) …` needs an `if` before it, `case 4: …` the `switch` around the use.
    """
    first = re.match(r"\w*", text)
    word = first[0] if first is not None else ""
    if word == "else":
        return f"if (0) ; {text} ;"
    if word not in ("case", "default"):
        return f"{text} ;"
    around = use.parent
    while around is not None and around.type != "switch_statement":
        around = around.parent
    condition = around.child_by_field_name("condition") if around is not None else None
    return (
        f"{text} ;"
        if condition is None
        else f"switch {file.source.text_of(condition)} {{ {text} ; }}"
    )
