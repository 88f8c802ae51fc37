"""The run of its program that a launch stands in, where the program's defaults do not make it.

`if (mode == EVENTS) events<<<…>>>(…)`, and the program starts with `mode = HISTORIES`: of the runs
that files tell the first that comes there, else words that its options are compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.options import program_arguments
from perflint.frontend.source.host.values import conditions
from perflint.frontend.source.host.values.choices import RUN, Session, UndecidedError
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.terms import Root
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.project.command_lines import CommandLine

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: A condition, where it is asked, whether a launch stands where it holds, and those around the
#: launch that do hold there, the innermost first.
Asked = tuple["Environment", str, bool, tuple[str, ...]]

_MOST = 64  #: runs that are made up for one condition
#: What options are compared with: their names, and the words that follow them; cases of getopt's.
_COMPARED = pattern(r"""cmp\s*\([^;{}"]*"([^"\\\s]+)"|[=!]=\s*"([^"\\\s]+)"|\bcase\s*'(\w)'\s*:""")


def contrary(places: Sequence[Environment]) -> Asked | None:
    """The outermost branch on the way to a launch that is not taken as the program is run."""
    for place in places:
        body = place.body()
        asked = [
            (condition, region.kind == "then")
            for region in (body.enclosing(place.at) if body is not None else ())
            if (condition := region.node.child_by_field_name("condition")) is not None
            and region.kind in ("then", "else")
        ]
        texts = [spell(bare(tokenize(place.file.source.text_of(c)))) for c, _ in asked]
        for (condition, is_then), text in zip(asked, texts, strict=True):
            there = place.moved(condition.start_byte)
            if conditions.told(there, text, _truth) is (not is_then):
                hold = [t for t, (_, then) in zip(texts, asked, strict=True) if then]
                return there, text, is_then, tuple(reversed(hold))
    return None


def run_for(asked: Asked, choices: Mapping[object, int]) -> int | None:
    """The number of the program's run that takes the branch; None where none is found."""
    place, text, _, hold = asked
    project, file = place.session.project, program_arguments.main_file(place)
    told = len(project.command_lines(file))
    for at in range(choices.get(RUN, 0) + 1, told):
        if _takes(asked, {**choices, RUN: at}):
            return at
    base = program_arguments.runs_of(place)
    words = base[0].arguments if base else ()
    name = " ".join(base[0].text.split()) if base else file.path.stem
    for _, more in zip(range(_MOST), _more(place, (*hold, text)), strict=False):
        line = CommandLine((*words, *more), file.path, 0, f"{name} {' '.join(more)}")
        at = project.told_also(file, line)
        if _takes(asked, {**choices, RUN: at}):
            return at
    return None


def _takes(asked: Asked, choices: Mapping[object, int]) -> bool:
    place, text, wanted, _ = asked
    there = place.under(Session(place.session.project, choices))
    return conditions.told(there, text, _truth) is wanted


def _truth(value: Value | None, roots: Sequence[Root]) -> bool | None:
    """Whether a condition holds where nobody asks for other values than the program's own."""
    if value is None or (value.term is not None and value.term.turns):
        return None
    hangs_on = value.term.roots if value.term is not None else ()
    if any(roots[root].default is None for root in hangs_on):
        return None
    return bool(value.number)


def _constants(place: Environment, texts: Sequence[str]) -> list[str]:
    """The whole numbers that conditions compare with, those of enumerators and macros too."""
    found: dict[str, None] = {}
    for token in (token for text in texts for token in tokenize(text)):
        known = token.kind == "number" or not place.is_local(token.text)
        try:
            value = fold(token.text, place) if known and token.kind in ("name", "number") else None
        except UndecidedError:
            continue
        if value is not None and value.term is None:
            found[str(int(value.number))] = None
    return list(found)


def _more(place: Environment, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Words to add to a run: an option, alone, with a word that follows it, with a number."""
    numbers = _constants(place, texts)
    for file in place.session.project.neighbours("argv"):
        for function in file.declarations.functions:
            if not any(program_arguments.ARGV.search(p.written) for p in function.parameters):
                continue
            option = ""
            for match in _COMPARED.finditer(function.source.text_of(function.node)):
                word = match[1] or match[2] or f"-{match[3]}"
                if word[:1] == "-" and re.match(r"-+[A-Za-z]", word):
                    option = word
                    yield (option,)
                    yield from ((option, number) for number in numbers)
                elif option:
                    yield option, word
