"""From an access site of the PTX to the characters of the user's source that it comes from.

`.loc` columns are the statement's: all accesses of one statement share a line and column. So the
subscripts that stand in that statement are matched by array and direction; where that leaves more
than one, the statement is underlined and the array named (docs/architecture.md, "Sites").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.analysis.model import AccessSite
from perflint.base.constructs import Fragment
from perflint.base.patterns import pattern
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language.model import SourceFacts, Subscript
from perflint.grammar.model import Location
from perflint.lint.findings import INLINED, Related

_MAX_STATEMENT_LINES = 20
#: An element, and the part of it that is taken: `p[i]` and `.pos.x`.
_PART = pattern(r"(?P<element>.*\])(?P<part>(?:\s*\.\s*\w+)+)")
#: A pointer of a struct, of whose elements one is taken: `p.colours[i]`.
_FIELD = pattern(r"\w+(?:\.\w+)+(?=\[)")


@dataclass(frozen=True)
class SitePlace:
    """Where a site stands in the source."""

    place: Span
    array: str | None = None  #: as the source calls it there; None if no subscript was matched
    related: tuple[Related, ...] = ()  #: the calls it was inlined at


def locate(
    site: AccessSite,
    array: str | None,
    facts: Mapping[Path, SourceFacts],
    fallback: Span,
) -> SitePlace:
    """The place of a site; `array` is what the kernel calls its array, None if unknown.

    `facts` are of the user's files by real path. A site of code that is in none of them (as in a
    toolkit's header) is placed at the user's call; one without any location, at `fallback`.
    """
    if site.location is None:
        return SitePlace(fallback)
    chain = site.location.chain()
    mine = [(location, at) for location in chain if (at := _find(location, facts))]
    if not mine:
        return _outside(chain) or SitePlace(fallback)
    location, source = mine[0]
    inlined = len(mine) > 1
    related = _calls(mine[1:])
    candidates = _candidates(location, source, site.kind)
    named = [s for s in candidates if array in (s.array, s.origin)]
    if array is None:  # a structure's pointer, which no variable of another space is
        named = [s for s in named if not _is_another(s, array, site.space, source)]
    if not named:  # a device function, or a pointer, has a name of its own for it
        possible = [s for s in candidates if not _is_another(s, array, site.space, source)]
        if inlined or array is None or len({s.array for s in possible}) == 1:
            named = possible
    if not named and not inlined:
        named = _elsewhere(site, array, location.line, source)
        if named:
            location = replace(location, line=named[0].span.line, column=0)
    if len({s.text for s in named}) == 1:
        return SitePlace(named[0].span, _name(named[0]), related)
    names = {_name(s) for s in named}
    names = names if len(names) == 1 else {s.array for s in named}
    return SitePlace(
        _statement(location, source), names.pop() if len(names) == 1 else None, related
    )


def _name(subscript: Subscript) -> str:
    """What the source calls the array: `p.colours` where a structure has the pointer."""
    field = _FIELD.match(subscript.text)
    return field[0] if field is not None else subscript.array


def statement(location: Location, facts: Mapping[Path, SourceFacts]) -> SitePlace | None:
    """The statement at a location, climbed to the user's own code; None if it names no line."""
    chain = location.chain()
    mine = [(at, source) for at in chain if (source := _find(at, facts))]
    if not mine:
        return _outside(chain)
    (at, source), *around = mine
    return SitePlace(_statement(at, source), related=_calls(around))


def calls(chain: Sequence[Location], facts: Mapping[Path, SourceFacts]) -> tuple[Related, ...]:
    """The calls of a chain of inlining that stand in the user's own files."""
    return _calls([(at, source) for at in chain if (source := _find(at, facts))])


def _calls(around: Sequence[tuple[Location, SourceFacts]]) -> tuple[Related, ...]:
    """The calls that a place was inlined at, those of a function that calls itself once."""
    places = dict.fromkeys(_whole_line(file, at.line) for at, file in around)
    return tuple(Related(place, INLINED) for place in places)


def accesses(
    site: AccessSite, array: str | None, facts: Mapping[Path, SourceFacts]
) -> tuple[Fragment, ...]:
    """The accesses to a site's array that its statement writes out, in the user's own code.

    None where the statement is not. A pointer into the array may have any name: where a statement
    goes to one array only, that is the site's.
    """
    location = site.location
    source = _find(location, facts) if location is not None else None
    if location is None or source is None:
        return ()
    found = _candidates(location, source, site.kind)
    mine = [s for s in found if s.array == array]
    if not mine and len({s.array for s in found}) == 1:
        mine = found
    return tuple(Fragment(s.text, s.span) for s in mine)


def merged_statements(
    site: AccessSite,
    array: str | None,
    facts: Mapping[Path, SourceFacts],
    others: Collection[AccessSite],
) -> tuple[Span, ...]:
    """The statements around a site's that take other parts of its element, and have no access.

    Of `v.x += p[i].x;` and `v.y += p[i].y;` the compiler makes one request, which has the line of
    one of them. `others` are the kernel's sites.
    """
    location = site.location
    source = _find(location, facts) if location is not None else None
    if location is None or source is None:
        return ()
    mine = [s for s in _candidates(location, source, site.kind) if array in (s.array, s.origin)]
    taken: dict[str, set[str]] = {}
    for element, part in map(_part, mine):
        taken.setdefault(element, set()).add(part)
    own = {
        each.location.line
        for each in others
        if each is not site and each.kind == site.kind and each.location is not None
        if each.array == site.array
    }
    found: list[Span] = []
    for step in (-1, 1):
        line = location.line + step
        while line not in own and (more := _other_parts(site.kind, line, taken, source)):
            found.append(more[0].span)
            for element, part in map(_part, more):
                taken[element].add(part)
            line += step
    return tuple(sorted(found))


def _other_parts(
    kind: str, line: int, taken: Mapping[str, Collection[str]], source: SourceFacts
) -> list[Subscript]:
    """The subscripts of a line that take parts of the elements which were not `taken` yet."""
    here = (s for s in source.subscripts if s.span.line == line and _direction(s, kind))
    parts = ((s, *_part(s)) for s in here)
    return [s for s, element, part in parts if part and part not in taken.get(element, {part})]


def _part(subscript: Subscript) -> tuple[str, str]:
    """An element, and the part of it that is taken; "": all."""
    found = _PART.fullmatch(subscript.text)
    return (found["element"], found["part"]) if found is not None else (subscript.text, "")


def _find(location: Location, facts: Mapping[Path, SourceFacts]) -> SourceFacts | None:
    if location.line < 1:
        return None
    return facts.get(real_path(location.file))


def _outside(chain: Sequence[Location]) -> SitePlace | None:
    """No source at hand: the outermost location's line, as the PTX names its file."""
    if not chain or chain[-1].line < 1:
        return None
    at = chain[-1]
    column = max(1, at.column)
    return SitePlace(Span(Path(at.file), at.line, column, at.line, column + 1))


def _candidates(location: Location, source: SourceFacts, kind: str) -> list[Subscript]:
    """The subscripts of the statement at `location` that go in the site's direction."""
    start = (location.line, max(1, location.column))
    end = statement_end(source.lines, *start, _mark(source))
    fits = [s for s in source.subscripts if _direction(s, kind) and s.span.line >= start[0]]
    inside = [s for s in fits if start <= (s.span.line, s.span.column) < end]
    return inside or [s for s in fits if s.span.line == location.line]


def _elsewhere(
    site: AccessSite, array: str | None, line: int, source: SourceFacts
) -> list[Subscript]:
    """The accesses to a site's array in the function of a line that has none, if they are alike.

    A load that was hoisted has no line of its own and seems to stand where it went: at the barrier
    before its loop. In Python LLVM gives it the line of what it shares address arithmetic with.
    """
    here = {s.function for s in source.subscripts if s.span.line == line}
    if source.path.suffix != ".py":
        spans = ((k.name, k.span) for k in source.kernels)
        here = set() if here else {n for n, at in spans if at.line <= line <= at.end_line}
    inside = (s for s in source.subscripts if s.function in here and array in (s.array, s.origin))
    found = [s for s in inside if _direction(s, site.kind)]
    found = [s for s in found if s.span.line > line] or found
    if array is None or (
        len({s.text for s in found}) > 1 and len({s.span.line for s in found}) > 1
    ):
        return []
    return [s for s in found if s.span.line == found[0].span.line]


def _is_another(subscript: Subscript, array: str | None, space: str, source: SourceFacts) -> bool:
    """Whether a subscript is of another array than the site: a macro hides the site's own."""
    if subscript.space is not None and space != "generic" and subscript.space != space:
        return True
    if array is None:
        return False
    parameters = {
        p.name for k in source.kernels if k.name == subscript.function for p in k.parameters
    }
    return not parameters.isdisjoint({subscript.array, subscript.origin})


def _direction(subscript: Subscript, kind: str) -> bool:
    if kind == "atomic":
        return subscript.atomic
    return subscript.store if kind == "store" else subscript.load


def _mark(source: SourceFacts) -> str:
    return "#" if source.path.suffix == ".py" else "//"


def statement_end(
    lines: Sequence[str], line: int, column: int, comment: str = "//"
) -> tuple[int, int]:
    """Line and column (1-based) just behind the statement that begins at (line, column).

    Where comments begin with `#`, a line's end is a statement's unless a bracket is open.
    """
    depth = 0
    for number in range(line, min(len(lines), line + _MAX_STATEMENT_LINES - 1) + 1):
        text = lines[number - 1]
        for i in range(column - 1 if number == line else 0, len(text)):
            c = text[i]
            if c in "([":
                depth += 1
            elif c in ")]":
                depth -= 1
            elif c in ";{}" and depth <= 0:
                return number, i + 2
            elif text.startswith(comment, i):
                text = text[:i].rstrip()
                break
        if comment == "#" and depth <= 0:
            return number, len(text) + 1
    last = min(len(lines), line + _MAX_STATEMENT_LINES - 1)
    return last, len(lines[last - 1]) + 1 if lines else 1


#: A function whose body begins on the line of its name: `f(int x) {`, `operator()(int x) const {`.
_HEAD = pattern(
    r"(?!(?:if|for|while|switch|else|do)\b)[\w:~]+(?:\s*\(\s*\))?\s*\([^(){};]*\)\s*(?:const\s*)?\{\s*"
)


#: Further statements behind one on its line, and what closes around them.
_MORE = pattern(r"\s*[^\s{}/](?:[^/]|/(?!/))*[;}]")


def _statement(location: Location, source: SourceFacts) -> Span:
    """The statement's part on its first line, without the code behind it."""
    lines = source.lines
    if location.line > len(lines):  # the text may not be read
        column = max(1, location.column)
        return Span(source.path, location.line, column, location.line, column + 1)
    text = lines[location.line - 1]
    first = len(text) - len(text.lstrip()) + 1
    column = location.column if first <= location.column <= len(text) else first
    if head := _HEAD.match(text, column - 1):  # PTX gives all of a line the column it begins with
        begin, end = head.end() + 1, len(text[: text.rfind("}")].rstrip()) + 1
        if begin < end:
            return Span(source.path, location.line, begin, location.line, end)
    end_line, end_column = statement_end(lines, location.line, column, _mark(source))
    if end_line > location.line:
        end_column = len(text.rstrip()) + 1
    elif rest := _MORE.match(text, end_column - 1):  # which of them it is PTX does not say
        end_column = rest.end() + 1
    elif text[end_column - 2 : end_column - 1] in (";", "{", "}"):
        end_column -= 1
    return Span(source.path, location.line, column, location.line, max(column + 1, end_column))


def _whole_line(source: SourceFacts, line: int) -> Span:
    lines = source.lines
    text = lines[line - 1] if line <= len(lines) else ""
    column = len(text) - len(text.lstrip()) + 1
    return Span(source.path, line, column, line, max(column + 1, len(text.rstrip()) + 1))
