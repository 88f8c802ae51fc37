"""What a loop over the program's arguments leaves in variables, where a file says how it is run.

`for (i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);` and getopt's loops:
each word that the program is run with is one turn. An option is known by the text, or the letter,
that conditions compare with the turn's word; what they compare deeper inside is the word behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source import c_types, program_arguments
from perflint.frontend.source.body_writes import POINTEE
from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.command_lines import number
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarators import Definition, Region
from perflint.frontend.source.device_properties import words
from perflint.frontend.source.named_options import WHOLE, word_asked
from perflint.frontend.source.program_arguments import READERS
from perflint.frontend.source.reaching_definitions import concerns
from perflint.frontend.source.statements import step_text
from perflint.frontend.source.tokens import Token, bare, closing, spell, split, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.environment import Environment

_GETOPT = pattern(r"\bgetopt(?:_long(?:_only)?)?\s*\(")
#: A row of `struct option`: `{"size", required_argument, 0, 'n'}` (getopt_long(3)).
_LONG = pattern(r'\{\s*"([\w-]+)"\s*,\s*(\w+)\s*,\s*[^,{}]*,\s*([^,{}]+?)\s*\}')
_NO_VALUE = ("0", "no_argument")
#: Functions that compare text and return 0 where it is the same; those with an `n`, how it begins.
_COMPARE = pattern(r"\w*str(n?)(?:case)?i?cmp|compare()")
_BEGINS = ("find", "rfind", "starts_with", "substr")


class _UnknownError(Exception):
    """A condition of an option's branch cannot be told."""


@dataclass(frozen=True)
class _Turn:
    """One word that the program is run with."""

    word: str
    value: str | None  #: the word behind it, or what stands behind its `=`
    label: str  #: the `case` that it enters: `'n'`
    behind: tuple[str, ...] = ()  #: all words from it on, where none of them is read for it


def is_told(place: Environment, region: Region) -> bool:
    """Whether a loop goes over the words that some file says the program is run with."""
    lines = place.session.project.command_lines(program_arguments.main_file(place))
    return (
        bool(lines) and region.kind == "loop" and program_arguments.is_over_options(place, region)
    )


def left(
    place: Environment, name: str, member: str | None, region: Region, kind: CType | None
) -> Value | None:
    """What such a loop leaves in a variable of a type; None where that cannot be told."""
    body = place.body()
    if body is None or kind is None:
        return None
    own = body.writes(name, body.visible(name, place.at))
    inside = [d for d in own if concerns(d, member) and region.start <= d.start < region.end]
    changed = {
        key
        for key, written in body.definitions.items()
        if any(region.start <= d.start < region.end for d in written)
    }
    before = place.moved(region.start - 1)
    if member == POINTEE:
        held = before.pointee(name)
    else:
        held = before.variable(name) if member is None else before.member(name, member)
    main = program_arguments.main_file(place)
    line = place.session.project.command_lines(main)[0]
    try:
        for turn in _turns(place, region, line.arguments):
            for definition in inside:
                found, arm = _is_taken(place, region, definition, turn)
                if found:
                    between = _between(place, arm, definition)
                    held = _written(place, definition, turn, kind, changed, held, between)
    except _UnknownError:
        return None
    if held is not None:
        place.session.note("runs", program_arguments.told(place, main))
    return held


def _turns(place: Environment, region: Region, arguments: Sequence[str]) -> Iterator[_Turn]:
    asked = program_arguments.asked(place, region)
    by_letter = _GETOPT.search(asked) is not None
    rows = {m[1]: (m[2], m[3]) for m in _LONG.finditer(place.file.source.text)} if by_letter else {}
    letters = next((t.text for t in tokenize(asked) if t.kind == "string"), "")
    for index, word in enumerate(arguments):
        following = arguments[index + 1] if index + 1 < len(arguments) else None
        name, equals, value = word.partition("=")
        if by_letter and word[:2] == "--":
            takes, label = rows.get(name[2:], ("", ""))
            own = None if takes in _NO_VALUE else following
            yield _Turn(word, value if equals else own, label)
        elif by_letter and word[:1] == "-":
            yield from _by_letters(word[1:], following, letters)
        else:
            label = f"'{word[1]}'" if word[:1] == "-" and len(word) > 1 else ""
            behind = () if equals else tuple(arguments[index:])
            yield _Turn(word, value if equals else following, label, behind)


def _by_letters(letters: str, following: str | None, takes: str) -> Iterator[_Turn]:
    """The options of one word: `-n64`, `-n 64`, `-fv`."""
    for index, letter in enumerate(letters):
        if f"{letter}:" in takes:
            yield _Turn(f"-{letter}", letters[index + 1 :] or following, f"'{letter}'")
            return
        yield _Turn(f"-{letter}", None, f"'{letter}'")


def _between(place: Environment, arm: Region | None, definition: Definition) -> str:
    """What is written from the comparison with an option's name to a write in its arm."""
    if arm is None:
        return ""
    source = place.file.source
    condition = arm.node.child_by_field_name("condition")
    text = source.text_of(condition) if condition is not None else ""
    return text + source.slice(arm.start, definition.start)


def _is_taken(
    place: Environment, loop: Region, definition: Definition, turn: _Turn
) -> tuple[bool, Region | None]:
    """Whether a turn of the loop comes by a write, and the arm of the option that it is.

    Raises _UnknownError where that is unknown.
    """
    body = place.body()
    assert body is not None
    arm: Region | None = None
    for region in body.enclosing(definition.start):
        if not (loop.start <= region.start and region.end <= loop.end) or region is loop:
            continue
        if region.kind == "case":
            label = region.node.child_by_field_name("value")
            if label is None or place.file.source.text_of(label).strip() != turn.label:
                return False, None
            arm = region
            continue
        condition = region.node.child_by_field_name("condition")
        if region.kind not in ("then", "else") or condition is None:
            raise _UnknownError
        text = bare(tokenize(place.file.source.text_of(condition)))
        holds, names = _holds(place, text, turn, arm is not None)
        if holds is None:
            raise _UnknownError
        if holds != (region.kind == "then"):
            return False, None
        arm = region if arm is None and holds and names else arm
    return True, arm


def _holds(
    place: Environment, condition: Sequence[Token], turn: _Turn, known: bool
) -> tuple[bool | None, bool]:
    """Whether a condition holds in a turn, and whether it tells which option that is.

    Where the option is known what is compared is its value. A condition that only counts the words
    is taken to hold.
    """
    condition = bare(condition)
    for sign, stops in (("||", True), ("&&", False)):
        parts = split(condition, sign)
        if len(parts) > 1:
            told: list[bool | None] = []
            names = False
            for part in parts:
                holds, own = _holds(place, part, turn, known or (names and not stops))
                names |= own
                told.append(holds)
            return stops if stops in told else None if None in told else not stops, names
    if condition and condition[0].text == "!" and not _is_comparison(condition[1:]):
        inside, names = _holds(place, condition[1:], turn, known)
        return None if inside is None else not inside, names
    texts = [t for t in condition if t.kind in ("string", "char")]
    if not texts:
        return True if program_arguments.asks(place, spell(condition)) else None, False
    if len(texts) > 1:
        return None, False
    word = turn.value if known else turn.word
    return _compares(condition, texts[0], word or ""), texts[0].text != "'-'"


def _is_comparison(tokens: Sequence[Token]) -> bool:
    """Whether tokens are a call `strcmp(…)` and nothing else."""
    return (
        len(tokens) > 2
        and bool(_COMPARE.fullmatch(tokens[0].text))
        and closing(tokens, 1) == (len(tokens) - 1)
    )


def _compares(condition: Sequence[Token], literal: Token, word: str) -> bool | None:
    """Whether a comparison of a word, or of one of its letters, with a literal holds."""
    signs = {t.text for t in condition}
    names = [t.text for t in condition if t.kind == "name"]
    text = literal.text[1:-1]
    differs = "!=" in signs
    if literal.kind == "char":
        index = next((t.text for t in reversed(condition) if t.kind == "number"), "")
        if not index.isdigit() or not signs & {"==", "!="}:
            return None
        return (word[int(index) : int(index) + 1] == text) != differs
    call = next((m for n in names if (m := _COMPARE.fullmatch(n)) is not None), None)
    begins = any(n in _BEGINS for n in names) or (call is not None and call[1])
    name = word.partition("=")[0] if "=" in word else word
    is_named = text in (word, name, name.lstrip("-"))  # `--rows=64`, cut at its sign
    same = word.startswith(text) if begins or text.endswith("=") else is_named
    if call is not None:
        bare_call = not signs & {"==", "!="}
        negated = condition[0].text == "!"
        return same != (differs or (bare_call and not negated))
    return same != (differs or (condition[0].text == "!"))


def _written(
    place: Environment,
    definition: Definition,
    turn: _Turn,
    kind: CType,
    changed: Set[str],
    held: Value | None,
    before: str,
) -> Value:
    """What a write makes of a variable that holds something, unless of what else the loop changes.

    Raises _UnknownError where that is unknown.
    """
    if definition.step is not None:
        text = step_text(definition.step, place)
    elif definition.known and definition.value is not None:
        text = _with_numbers(place, definition, turn, kind, before)
    else:
        raise _UnknownError
    bound = {} if held is None or definition.member is not None else {definition.name: held}
    value = None
    if words(text).isdisjoint(changed - {*bound}):
        value = c_types.convert(fold(text, place.knowing(definition.start, bound)), kind)
    if value is None:
        raise _UnknownError
    return value


def _read(turn: _Turn, before: str, asked: str) -> str:
    """The word that a statement asks for in a turn. Raises _UnknownError where there is none."""
    word = turn.value
    if turn.behind:
        word = word_asked(before, asked, turn.behind, 0, [turn.word])
    if word is None:
        raise _UnknownError
    return word


def _literal(tokens: Sequence[Token]) -> Token:
    found = next((t for t in tokens if t.kind == "string"), None)
    if found is None:
        raise _UnknownError
    return found


def _with_numbers(
    place: Environment, definition: Definition, turn: _Turn, kind: CType, before: str
) -> str:
    """The text of a write, with the option's number for the call that reads it."""
    tokens = tokenize(place.definition_text(definition))
    told = program_arguments.told_as_text(place) | {"optarg", "argv"}
    made: list[str] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        end = (
            closing(tokens, index + 1) if token.kind == "name" and index + 1 < len(tokens) else None
        )
        inside = {t.text for t in tokens[index:end]} if end is not None else set()
        if end is None or not (token.text in READERS or not told.isdisjoint(inside)):
            made.append(token.text)
            index += 1
            continue
        asked = spell(tokens[index + 2 : end]).split(" , ")[0]
        word = _read(turn, before + spell(tokens[:index]), asked or spell(tokens[index : end + 1]))
        if _COMPARE.fullmatch(token.text):
            holds = _compares(tokens[index : end + 1], _literal(tokens[index:end]), word)
            made.append(str(int(bool(holds))))
            index = end + 1
            continue
        read = number(word, READERS.get(token.text, kind))
        if read is None or not (token.text in READERS or WHOLE.fullmatch(word)):
            raise _UnknownError
        made.append(f"({read.number!r})")
        index = end + 1
    return " ".join(made).replace("std :: (", "(")
