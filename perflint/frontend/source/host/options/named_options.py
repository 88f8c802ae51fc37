"""What a run tells by name that no loop over its words sets: by a table, or by a file's lines.

`if (key == "rows") c.rows = atoi(v)` in a loop over the lines of a file that the run names is worth
what the file says; a row of a table, `{"--n", &Options::n}`, what follows the name among the words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.host.options import run_settings
from perflint.frontend.source.host.options.program_arguments import READERS, runs_of
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.tokens import closing, spell, tokenize
from perflint.frontend.source.language.trees import inner
from perflint.frontend.source.project.command_lines import number

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment


@dataclass(frozen=True)
class Said:
    """What the words of a run say of an option."""

    told: str  #: how the program is run; "" where the option is not among the words
    value: Value | None = None  #: None also where it is, and what it sets cannot be told


#: An option's name as it is compared with, and comparisons that hold for all other words.
_NAME = pattern(r'"(-[^"\\\s]*|[A-Za-z]\w*=)"')
_OTHER = pattern(r'!=\s*(?:std\s*::\s*string\s*\(\s*)?"|(?<!!)\bstrn?(?:case)?cmp\b')
_SAME = pattern(r'\)\s*==\s*0\b|\b0\s*==|!\s*(?:std\s*::\s*)?str|==\s*"|"\s*==')
_KEY = pattern(r'"([\w.-]*[A-Za-z][\w.-]*)"')
_ROW = r'\{{[^{{}}"]*"([^"\\\s]+)"[^{{}}]*&\s*(?:\w+\s*::\s*)*{}\s*[,}}]'
_ARGUMENT = pattern(r"\bargc\b|\bend\s*\(|\bsize\s*\(")
_NEXT = pattern(r"\[\s*(?:\+\+\s*\w+|[A-Za-z_]\w*\s*(?:\+\+|\+\s*(\d+))?)\s*\]")


def names_option(condition: str) -> bool:
    """Whether a condition asks whether a word of the program's arguments is an option's name."""
    return _NAME.search(condition) is not None and (
        _SAME.search(condition) is not None or _OTHER.search(condition) is None
    )


def is_option(place: Environment, definition: Definition, member: str | None) -> bool:
    """Whether only an option by its name leads to a statement that sets a variable."""
    return _option_of(place, definition) is not None or bool(_rows(place, definition, member))


def said(
    place: Environment, definition: Definition, member: str | None, kind: CType
) -> Said | None:
    """What the words of a run give a variable there; None where it is no option that is set."""
    lines = runs_of(place)
    if not lines:
        return None
    if (keyed := _by_key(place, definition, kind)) is not None:
        return keyed
    if names := _rows(place, definition, member):
        words = lines[0].arguments
        given = [words[i + 1] for i, word in enumerate(words[:-1]) if word in names]
        if not given:
            return Said("")
        value = number(given[-1], kind)
    else:
        return None
    run = run_settings.told(place)
    place.session.note("runs", run)
    return Said(run, value)


def _by_key(place: Environment, definition: Definition, kind: CType) -> Said | None:
    """What `if (key == "rows") c.rows = v;` sets, where the run tells that by its name."""
    body = place.body()
    if body is None or definition.value is None:
        return None
    around = [r for r in body.enclosing(definition.start) if r.kind == "then"]
    run = run_settings.told(place)
    condition = _condition(place, around[-1]) if around else ""
    names = {name.lstrip("-") for name in _KEY.findall(condition)}
    known = run_settings.settings(place)
    told_of = [known[name] for name in names if name in known]
    if len(names) != 1 or len(told_of) != 1 or "!=" in condition:
        return None
    value = _of_text(place, definition, told_of[0], kind)
    place.session.note("runs", run)
    return Said(run, value)


def _of_text(place: Environment, definition: Definition, word: str, kind: CType) -> Value | None:
    """What a statement makes of an option's text: `atoi(v.c_str())`, `1 << v`."""
    text = inner(place.file.source.text_of(definition.value)) if definition.value else ""
    tokens, there = tokenize(text), place.moved(definition.start)
    for start, token in enumerate(tokens[:-1]):
        if token.text in READERS and tokens[start + 1].text == "(":
            end = closing(tokens, start + 1)
            read = number(word, READERS[token.text])
            if end is None or read is None or _NEXT.search(spell(tokens[start:end])):
                return None
            first = start - 2 if start > 1 and tokens[start - 1].text == "::" else start
            made = f"{spell(tokens[:first])} ({read.number}) {spell(tokens[end + 1 :])}"
            return c_types.convert(fold(made, there), kind)
    body = place.body()
    held: dict[str, Value | None] = {}
    for name in {t.text for t in tokens if t.kind == "name"}:
        declared = body.visible(name, definition.start) if body is not None else None
        written = declared.value if declared is not None else None
        reads = written is not None and not READERS.keys().isdisjoint(
            re.findall(r"\w+", place.file.source.text_of(written))
        )
        if reads and declared is not None:
            target = type_of_words(declared.type.split(), place) or kind
            held[name] = number(word, target)
    if len(held) != 1 or None in held.values():
        return None
    return c_types.convert(fold(text, place.knowing(definition.start, held)), kind)


def _condition(place: Environment, region: Region) -> str:
    node = region.node.child_by_field_name("condition")
    return "" if node is None else place.file.source.text_of(node)


def _option_of(place: Environment, definition: Definition) -> Region | None:
    """The arm of a branch around a statement that an option's name leads to, and nothing else."""
    body = place.body()
    around = body.enclosing(definition.start) if body is not None else []
    named: Region | None = None
    for region in around:
        condition = _condition(place, region) if region.kind in ("then", "else") else ""
        if region.kind == "then" and names_option(condition):
            if named is not None:
                return None
            named = region
        elif named is not None and not (condition and _ARGUMENT.search(condition)):
            return None  # on a further condition
    return named


def _rows(place: Environment, definition: Definition, member: str | None) -> list[str]:
    """The names in the rows of a table that have a variable's, or its member's, address."""
    if definition.value is not None or place.function is None:
        return []
    text = place.function.source.text_of(place.function.node)
    return re.findall(_ROW.format(re.escape(member or definition.name)), text)
