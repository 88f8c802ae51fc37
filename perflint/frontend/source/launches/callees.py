"""Which kernel a launch means, where what stands before `<<<` is not a kernel's own name.

Function pointers are followed through variables, parameters, template arguments, members, tables
and the functions that choose them. Each kernel that may be meant is a choice of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.exits import exits_of
from perflint.frontend.source.host.calls.lambdas import lambda_argument
from perflint.frontend.source.host.calls.launch_syntax import kernel_name
from perflint.frontend.source.host.calls.results import enter
from perflint.frontend.source.host.objects.origins import called_as, traced
from perflint.frontend.source.host.objects.tables import row_of
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.host.values.branch_values import selected
from perflint.frontend.source.host.values.choices import UndecidedError
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.reaching_definitions import PARAMETER, Body
from perflint.frontend.source.language.tokens import Token, bare, closing, spell, split, tokenize

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_STEPS = 12
KERNELS = 16  #: kernels of one chooser or table that a launch is read for

Source = tuple[str, "Environment"]


@dataclass(frozen=True, eq=False)
class Callee:
    """A kernel that is launched."""

    name: str
    template: tuple[str, ...] | None  #: as written
    place: Environment  #: where the template arguments mean something
    path: str  #: with the namespaces that are written: `ns::k`


@dataclass(frozen=True)
class Unfound:
    """A launch whose kernel cannot be read."""

    reason: str


#: Characters of an expression that names a kernel. It is read for each of a launch's choices.
_LONGEST = 10_000


def callee_of(text: str, place: Environment) -> Callee | Unfound:
    """The kernel that an expression names, under the session's choices.

    Raises UndecidedError where there are several.
    """
    for _ in range(_STEPS):
        if len(text) > _LONGEST:
            return Unfound("what is launched is too long an expression")
        found = _sources(text, place)
        if isinstance(found, (Callee, Unfound)):
            return found
        kept = [*{(t, p.key): (t, p) for t, p in found if _may_be_kernel(t)}.values()]
        if not kept:
            return Unfound(f"what `{text}` points to is not in sight")
        if len(kept) > KERNELS:
            place.session.left_out += len(kept) - KERNELS
        # What is decided later may leave fewer of them: these are another choice.
        alike = tuple((each, there.key) for each, there in kept)
        index = place.session.choose(("kernel", text, place.key, alike), min(len(kept), KERNELS))
        if index is None:
            return Unfound(f"what `{text}` points to is not in sight")
        _suppose(text, place, kept[index])
        text, place = kept[index]
    return Unfound(f"`{text}` is reached through too many variables")


def _suppose(text: str, place: Environment, source: Source) -> None:
    """Enter the conditions under which one of several kernels is meant, as having been chosen."""
    chosen, there = source
    arms = _arms(_plain(text))
    if arms is not None:
        _state(place, spell(arms[0]), chosen == spell(arms[1]), place)
    elif there.function is place.function and there.at < place.at:
        body = there.body()
        around = body.enclosing(place.at) if body is not None else []
        for region in body.enclosing(there.at) if body is not None else ():
            if region in around:
                continue
            condition = region.node.child_by_field_name("condition")
            if region.kind in ("then", "else") and condition is not None:
                written = spell(bare(tokenize(place.file.source.text_of(condition))))
                _state(place, written, region.kind == "then", there.moved(condition.start_byte))
            elif entered := selected(region, place):
                _state(place, entered, True, there.moved(region.start))


def _state(place: Environment, condition: str, holds: bool, where: Environment) -> None:
    with place.session.reading():
        if fold(condition, where) is not None:
            return  # it is known
    place.session.note("stated", condition, holds)
    place.session.ask(condition, where)


def _may_be_kernel(text: str) -> bool:
    plain = "".join(text.split())
    return plain not in ("NULL", "nullptr", "0", "{}", "()", "{nullptr}", "{NULL}", "{0}")


def _sources(text: str, place: Environment) -> Callee | Unfound | list[Source]:
    """The kernel itself, or the expressions one step back that give it."""
    tokens = _plain(text)
    arms = _arms(tokens)
    if arms is not None:
        return [(spell(arm), place) for arm in arms[1:]]
    text = spell(tokens)
    if (called := called_as(tokens)) is not None:
        if (entry := row_of(tokens, place)) is not None:
            return [entry[:2]]
        return _of_call(text, place, *called)
    if tokens and tokens[-1].text == "]":
        return _of_element(tokens, place)
    if len(tokens) > 2 and tokens[-2].text in (".", "->"):
        return _of_member(tokens, place)
    named = kernel_name(text)
    if named is None:
        return Unfound(f"`{text}` is no name of a kernel")
    name = named.name
    while place.outer is not None and not place.is_local(name):
        place = place.outer
    if named.template is None and (given := lambda_argument(place, name)) is not None:
        return given or Unfound(f"who calls the lambda with `{name}` is not in sight")
    if place.is_local(name) and named.template is None:
        return _of_local(name, place)
    function = place.function
    if function is not None and function.template_parameter(name) is not None:
        argument = place.template_argument(function, name)
        if argument is None:
            return Unfound(f"no caller in sight gives the template argument `{name}`")
        return [argument]
    if not place.session.project.kernels(name, place.file):
        found = _of_global(name, place)
        if found:
            return found
    return Callee(name, named.template, place, named.path)


def _plain(text: str) -> Sequence[Token]:
    """The expression without casts, `&`, `*`, `+` and brackets around it."""
    tokens: Sequence[Token] = without_casts(tokenize(text))
    while True:
        if tokens and tokens[0].text in ("&", "*", "+"):
            tokens = without_casts(list(tokens[1:]))
        elif len(tokens) > 2 and (tokens[0].text, tokens[-1].text) in (("(", ")"), ("{", "}")):
            inner = split(tokens[1:-1])
            if len(inner) != 1:
                return tokens
            tokens = without_casts(inner[0])
        else:
            return tokens


def _arms(tokens: Sequence[Token]) -> list[Sequence[Token]] | None:
    """The condition and both kernels of `small ? &a<1> : &a<2>`; `a<small ? 1 : 2>` is one."""
    if kernel_name(spell(tokens)) is not None:
        return None
    parts = split(bare(tokens), "?")
    if len(parts) < 2:
        return None
    rest = spell(tokens).partition(" ? ")[2]
    arms = split(tokenize(rest), ":")
    if len(arms) < 2:
        return None
    return [parts[0], arms[0], tokenize(" : ".join(spell(arm) for arm in arms[1:]))]


def _of_local(name: str, place: Environment) -> Unfound | list[Source]:
    """A function pointer in a variable or parameter: what it holds, or any value it ever gets."""
    body, function = place.body(), place.function
    if body is None or function is None:
        return Unfound(f"`{name}` is not in sight")
    declaration = body.visible(name, place.at)
    reaching = body.reaching(name, place.at, None, partial(_is_taken, place))
    if reaching is PARAMETER:
        argument = place.argument(function, function.position(name))
        if argument is None:
            return Unfound(
                f"`{name}` is a parameter of `{function.name}`, whose callers are not in sight"
            )
        return [argument]
    known = reaching is not None and reaching.value is not None
    writes = [reaching] if known and reaching is not None else body.writes(name, declaration)
    values = [d for d in writes if d.member is None and d.value is not None]
    return [(place.definition_text(d), place.moved(d.start)) for d in values]


def _is_taken(place: Environment, region: Region) -> bool | None:
    """Whether a branch is taken; one that is out of sight is no choice: both kernels happen."""
    node = region.node.child_by_field_name("condition")
    text = place.file.source.text_of(node) if node is not None else selected(region, place)
    if not text:
        return None
    try:
        value = fold(text, place.moved(node.start_byte if node is not None else region.start))
    except UndecidedError:
        return None
    return None if value is None else bool(value.number) == (region.kind != "else")


def _of_call(
    text: str, place: Environment, name: str, texts: Sequence[str]
) -> Callee | Unfound | list[Source]:
    """Every kernel that a chooser may return."""
    if name in ("cudaGetKernel", "reinterpret_cast", "static_cast"):
        return Unfound(f"`{text}` is no name of a kernel")
    entered = enter(place, name, texts)
    if entered is None:
        return Unfound(f"the function that `{text}` calls is not in sight")
    with place.session.look_up(("chooser", entered.key)) as allowed:
        found, left_out = exits_of(entered) if allowed else ([], 0)
    place.session.left_out += left_out
    result: list[Source] = []
    for each in found:
        if each.value is not None:
            there = entered.moved(each.at)
            result.append((entered.file.source.text_of(each.value), there))
    return result or Unfound(f"what `{text}` returns cannot be read")


def _of_element(tokens: Sequence[Token], place: Environment) -> Unfound | list[Source]:
    """`table[i]`, `table[i][j]`: the element, or each where the index is not known."""
    row = row_of(tokens, place)
    if row is not None:
        return [row[:2]]
    written = _written_elements(tokens, place)
    return written or Unfound(f"the elements of `{spell(tokens)}` are not in sight")


def _written_elements(tokens: Sequence[Token], place: Environment) -> list[Source]:
    """Every kernel that `table[0] = kernel` writes to a local table, where it may be this one's."""
    body, name = place.body(), tokens[0].text
    if body is None or len(tokens) < 4 or tokens[1].text != "[":
        return []
    if closing(tokens, 1) != len(tokens) - 1:
        return []
    index = fold(spell(tokens[2:-1]), place)
    member = f"[{int(index.number)}]" if index is not None else None
    around = body.enclosing(place.at)
    return [
        (place.definition_text(d), place.moved(d.start))
        for d in body.writes(name, body.visible(name, place.at))
        if d.element and d.value is not None and member in (None, d.member)
        if not any(_is_taken(place, r) is False for r in body.enclosing(d.start) if r not in around)
    ]


def _of_member(tokens: Sequence[Token], place: Environment) -> Unfound | list[Source]:
    """`config.kernel`, `this->kernel`, `table[i].kernel`."""
    text = spell(tokens)
    field, base = tokens[-1].text, tokens[:-2]
    found = traced(text, place)
    if found is not None and not found.path and found.text != text:
        return [(found.text, found.place)]
    written = _written_anywhere(field, base, place)
    return written or Unfound(f"what sets `{text}` is not in sight")


def _written_anywhere(field: str, base: Sequence[Token], place: Environment) -> list[Source]:
    """Every kernel that the function around the place, or a method, writes to a member."""
    if len(base) == 1 and base[0].text == "this":
        return _of_global(field, place)
    body = place.body()
    if body is None or len(base) != 1:
        return []
    declaration = body.visible(base[0].text, place.at)
    return [
        (place.definition_text(d), place.moved(d.start))
        for d in body.writes(base[0].text, declaration)
        if d.member == field and d.value is not None
    ]


def _of_global(name: str, place: Environment) -> list[Source]:
    """Every value that a function pointer out of functions gets, anywhere in the program."""
    found = place.session.project.global_variable(name, place.file, place.place, written=True)
    if found is None:
        return []
    owner, declaration = found
    result: list[Source] = []
    if declaration.value is not None:
        there = place.elsewhere(owner, declaration.start)
        result.append((there.definition_text(declaration), there))
    for file in place.session.project.neighbours(name):
        for function in file.functions_naming(name):
            value = function.initialisers.get(name)
            if value is not None:
                there = place.elsewhere(file, value.start_byte)
                result.append((file.source.text_of(value), there))
            for written in _assignments(name, file.body(function)):
                there = place.elsewhere(file, written.start)
                result.append((there.definition_text(written), there))
    return result


def _assignments(name: str, body: Body) -> list[Definition]:
    own = [d for d in body.own.get(name, ()) if d.member is None]
    plain = [] if name in body.parameters else body.definitions.get(name, [])
    free = [d for d in plain if not d.declares and body.visible(name, d.start) is None]
    return [d for d in (*own, *free) if d.value is not None and d.member is None]
