"""The run of its program that a launch stands in, where the program's defaults do not make it.

`if (mode == EVENTS) events<<<…>>>(…)`, and the program starts with `mode = HISTORIES`: of the runs
that files tell the first that comes there, else words that its options are compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source import conditions, program_arguments
from perflint.frontend.source.c_types import Value
from perflint.frontend.source.choices import RUN, Session, UndecidedError
from perflint.frontend.source.command_lines import CommandLine
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.terms import Root
from perflint.frontend.source.tokens import bare, spell, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

#: A condition, where it is asked, and whether a launch stands where it holds.
Asked = tuple["Environment", str, bool]

_MOST = 64  #: runs that are made up for one condition
#: What options are compared with: their names, and the words that follow them; cases of getopt's.
_COMPARED = pattern(r"""cmp\s*\([^;{}"]*"([^"\\\s]+)"|[=!]=\s*"([^"\\\s]+)"|\bcase\s*'(\w)'\s*:""")


def contrary(places: Sequence[Environment]) -> Asked | None:
    """The outermost branch on the way to a launch that is not taken as the program is run."""
    for place in places:
        body = place.body()
        for region in body.enclosing(place.at) if body is not None else ():
            condition = region.node.child_by_field_name("condition")
            if condition is None or region.kind not in ("then", "else"):
                continue
            there = place.moved(condition.start_byte)
            text = spell(bare(tokenize(place.file.source.text_of(condition))))
            if conditions.told(there, text, _truth) is (region.kind != "then"):
                return there, text, region.kind == "then"
    return None


def run_for(asked: Asked, choices: Mapping[object, int]) -> int | None:
    """The number of the program's run that takes the branch; None where none is found."""
    place, text, _ = asked
    project, file = place.session.project, program_arguments.main_file(place)
    told = len(project.command_lines(file))
    for at in range(choices.get(RUN, 0) + 1, told):
        if _takes(asked, {**choices, RUN: at}):
            return at
    base = program_arguments.runs_of(place)
    words = base[0].arguments if base else ()
    name = " ".join(base[0].text.split()) if base else file.path.stem
    for _, more in zip(range(_MOST), _more(place, text), strict=False):
        line = CommandLine((*words, *more), file.path, 0, f"{name} {' '.join(more)}")
        at = project.told_also(file, line)
        if _takes(asked, {**choices, RUN: at}):
            return at
    return None


def _takes(asked: Asked, choices: Mapping[object, int]) -> bool:
    place, text, wanted = asked
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


def _constants(place: Environment, condition: str) -> list[str]:
    """The whole numbers that a condition compares with, those of enumerators and macros too."""
    found: dict[str, None] = {}
    for token in tokenize(condition):
        known = token.kind == "number" or not place.is_local(token.text)
        try:
            value = fold(token.text, place) if known and token.kind in ("name", "number") else None
        except UndecidedError:
            continue
        if value is not None and value.term is None:
            found[str(int(value.number))] = None
    return list(found)


def _more(place: Environment, condition: str) -> Iterator[tuple[str, ...]]:
    """Words to add to a run: an option, alone, with a word that follows it, with a number."""
    numbers = _constants(place, condition)
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
