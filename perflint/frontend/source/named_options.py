"""Options by name in a program's arguments: `if (!strcmp(argv[i], "--n")) n = atoi(argv[++i]);`.

Where a file says what the program is run with, an option that stands there is worth what follows
it, as the statement reads that; one that does not leaves the variable as it was. The name stands in
the condition around the statement, or in a row of a table beside the address of what it sets:
`{"--n", &Options::n}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source import c_types, run_settings
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.command_lines import number
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import Definition, Region
from perflint.frontend.source.lookup import type_of_words
from perflint.frontend.source.program_arguments import READERS, main_file, told
from perflint.frontend.source.tokens import closing, spell, tokenize
from perflint.frontend.source.trees import inner

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment


@dataclass(frozen=True)
class Said:
    """What the words of a run say of an option."""

    told: str  #: how the program is run; "" where the option is not among the words
    value: Value | None = None  #: None also where it is, and what it sets cannot be told


#: An option's name as it is compared with, and comparisons that hold for all other words.
_NAME = pattern(r'"(-[^"\\\s]*|[A-Za-z]\w*=)"')
_OTHER = pattern(r'!=\s*(?:std\s*::\s*string\s*\(\s*)?"|(?<!!)\bstrn?(?:case)?cmp\b')
_SAME = pattern(r'\)\s*==\s*0\b|\b0\s*==|!\s*(?:std\s*::\s*)?str|==\s*"|"\s*==')
#: An option of getopt_long by its letter: `{"size", required_argument, nullptr, 's'}`.
_LONG = r"""\{{\s*"([\w-]+)"\s*,\s*\w+\s*,\s*\w+\s*,\s*'{}'\s*\}}"""
_KEY = pattern(r'"([\w.-]*[A-Za-z][\w.-]*)"')
_ROW = r'\{{[^{{}}"]*"([^"\\\s]+)"[^{{}}]*&\s*(?:\w+\s*::\s*)*{}\s*[,}}]'
_ARGUMENT = pattern(r"\bargc\b|\bend\s*\(|\bsize\s*\(")
_READS = pattern(r"\b(?:std\s*::\s*)?(\w+)\s*\(")
_SCANS = pattern(r'\bsscanf\s*\((.+?),\s*"%\w+"\s*,\s*&[\w.>-]+\s*\)')
_NEXT = pattern(r"\[\s*(?:\+\+\s*\w+|[A-Za-z_]\w*\s*(?:\+\+|\+\s*(\d+))?)\s*\]")
_FIXED = pattern(r"\[\s*(\d+)\s*\]")
_BEGINS = pattern(r"\bstrn(?:case)?cmp\b|\bstarts_with\b|\br?find\b|\bsubstr\b|\bcompare\s*\(\s*0")
WHOLE = pattern(r"[-+]?(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[fFuUlL]*")


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
    lines = place.session.project.command_lines(main_file(place))
    if not lines:
        return None
    if (keyed := _by_key(place, definition, kind)) is not None:
        return keyed
    region = _option_of(place, definition)
    if region is not None:
        condition = _condition(place, region)
        names, words = _NAME.findall(condition), lines[0].arguments
        is_name = str.startswith if _BEGINS.search(condition) else str.__eq__
        found = [i for i, word in enumerate(words) if any(is_name(word, n) for n in names)]
        if not found:
            return Said("")
        value = _set(place, definition, region, words, found[-1], names, kind)  # the last counts
    elif names := _rows(place, definition, member):
        words = lines[0].arguments
        given = [words[i + 1] for i, word in enumerate(words[:-1]) if word in names]
        if not given:
            return Said("")
        value = number(given[-1], kind)
    else:
        return None
    run = told(place, main_file(place))
    place.session.note("runs", run)
    return Said(run, value)


def _by_key(place: Environment, definition: Definition, kind: CType) -> Said | None:
    """What `if (key == "rows") c.rows = v;` sets, where the run tells that by its name.

    Also `case 'r': c.rows = v;` in a loop of getopt's.
    """
    body = place.body()
    if body is None or definition.value is None:
        return None
    around = [r for r in body.enclosing(definition.start) if r.kind in ("then", "case")]
    run = run_settings.told(place)
    if around and around[-1].kind == "case":
        return _by_letter(place, around[-1], definition, run, kind)
    condition = _condition(place, around[-1]) if around else ""
    names = {name.lstrip("-") for name in _KEY.findall(condition)}
    known = run_settings.settings(place)
    told_of = [known[name] for name in names if name in known]
    if len(names) != 1 or len(told_of) != 1 or "!=" in condition:
        return None
    value = _of_text(place, definition, told_of[0], kind)
    place.session.note("runs", run)
    return Said(run, value)


def _by_letter(
    place: Environment, case: Region, definition: Definition, run: str, kind: CType
) -> Said | None:
    """What `case 'r': rows = v;` sets, where the run has `-r 64` or its long name of getopt's."""
    label = case.node.child_by_field_name("value")
    letter = place.file.source.text_of(label).strip("' ") if label is not None else ""
    function = place.function
    text = function.source.text_of(function.node) if function is not None else ""
    if len(letter) != 1 or "getopt" not in text:
        return None
    long = re.search(_LONG.format(re.escape(letter)), place.file.source.text)
    known = run_settings.settings(place)
    word = known.get(letter) or (known.get(long[1]) if long is not None else None)
    return None if word is None else Said(run, _of_text(place, definition, word, kind))


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


def _set(
    place: Environment,
    definition: Definition,
    region: Region,
    words: tuple[str, ...],
    at: int,
    names: Sequence[str],
    kind: CType,
) -> Value | None:
    """What a statement makes of the words of a run from an option on."""
    source = place.file.source
    there = place.moved(definition.start)
    before = _condition(place, region) + source.slice(region.start, definition.start)
    if definition.value is None:
        rest = source.slice(definition.start, region.end).find(";")
        scans = _SCANS.search(source.slice(region.start, definition.start + rest + 1))
        word = (
            word_asked(before[: before.find("sscanf")], scans[1], words, at, names)
            if scans
            else None
        )
        return None if word is None else number(word, kind)
    text = inner(source.text_of(definition.value))
    tokens = tokenize(text)
    for start, token in enumerate(tokens[:-1]):
        if token.text not in READERS or tokens[start + 1].text != "(":
            continue
        end = closing(tokens, start + 1)
        if end is None:
            return None
        asked = spell(tokens[start + 2 : end]).split(" , ")[0].split(",")[0]
        word = word_asked(before + spell(tokens[:start]), asked, words, at, names)
        read = None if word is None else number(word, READERS[token.text])
        if read is None:
            return None
        first = (
            start - 2
            if spell(tokens[max(start - 2, 0) : start]).replace(" ", "") == "std::"
            else start
        )
        value = fold(f"{spell(tokens[:first])} ({read.number}) {spell(tokens[end + 1 :])}", there)
        return c_types.convert(value, kind)
    if not _READS.search(text) and "argv" not in text:
        return c_types.convert(fold(text, there), kind)  # a flag
    call = _READS.match(text)
    word = (
        word_asked(before, text[call.end() : -1], words, at, names)
        if call and text[-1] == ")"
        else None
    )
    if word is None or not WHOLE.fullmatch(word):
        return None
    return number(word, kind)


def word_asked(
    before: str, asked: str, words: tuple[str, ...], at: int, names: Sequence[str]
) -> str | None:
    """The word that is read: what follows an option's name, in its own word or behind it.

    `before` is what is written between the comparison with the name and what is asked for.
    """
    if words[at] not in names:
        name = max((n for n in names if words[at].startswith(n)), key=len)
        return words[at].removeprefix(name).removeprefix("=")
    if fixed := _FIXED.search(asked):
        compared = _FIXED.search(before)
        at = at if compared and int(compared[1]) == at + 1 else len(words)
        return words[int(fixed[1]) - 1] if at < int(fixed[1]) <= len(words) else None
    steps = len(re.findall(r"\+\+\s*\w+|\w\s*\+\+", before))
    index = _NEXT.search(asked)
    if index is not None:
        steps += 1 if re.search(r"\[\s*\+\+", index[0]) else int(index[1] or 0)
    elif "++" in asked:
        steps += 1
    else:
        call = "".join(asked.split())
        steps += 1 + ("".join(before.split()).count(call) if "(" in call else 0)
    return words[at + steps] if steps >= 1 and at + steps < len(words) else None
