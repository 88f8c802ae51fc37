"""What host code copies to `__constant__` and `__device__` variables, where its values fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from perflint.base.records import dataclass
from perflint.frontend.source.host.execution.symbol_copies import BY_NAME
from perflint.frontend.source.host.execution.told import symbol_copy
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.host.values.branch_values import pins_at
from perflint.frontend.source.host.values.choices import Session, explored
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call
from perflint.frontend.source.language.model import HeldValue, SymbolValue
from perflint.frontend.source.language.tokens import Token, spell, tokenize
from perflint.frontend.source.launches.host_objects import held_values
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project

#: Copies to an address: (address, source, bytes, …).
_BY_ADDRESS = (
    *("cudaMemcpy", "cudaMemcpyAsync", "cuMemcpyHtoD", "cuMemcpyHtoDAsync"),
    *("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2"),
)
#: What gives a variable's address, and which of its arguments names the variable.
_ADDRESS_OF = {"cudaGetSymbolAddress": 1, "cuModuleGetGlobal": 3, "cuModuleGetGlobal_v2": 3}
#: Copies of one file that are read, and evaluations of one of them: one for each caller.
_MOST_COPIES, _SESSIONS = 200, 8


@dataclass(frozen=True, eq=False)
class _Copy:
    """A call that copies to a variable. Texts are as written."""

    symbol: str
    call: Call
    source: str
    size: str = ""
    offset: str = ""


def symbol_values(project: Project, file: File) -> tuple[SymbolValue, ...]:
    """What a file copies to device variables, in text order, a value for each way it may happen.

    A copy whose value does not fold is there without `values`: that the host writes something is
    known all the same.
    """
    found: dict[SymbolValue, None] = {}
    copies = sorted(_copies(file), key=lambda c: c.call.node.start_byte)
    for copy in copies[:_MOST_COPIES]:
        ways = [*explored(project, partial(_evaluated, file, copy), _SESSIONS)]
        found.update((value, None) for _, value in ways if value is not None)
        if len(ways) == _SESSIONS:  # there are more
            found[_unknown(file, copy)] = None
    return tuple(found)


def _copies(file: File) -> Iterator[_Copy]:
    for name in BY_NAME:
        for call in file.declarations.calls.get(name, ()):
            texts = _texts(file, call)
            if len(texts) >= 2 and (symbol := _symbol(texts[0])):
                size, offset = (*texts[2:4], "", "")[:2]
                yield _Copy(symbol, call, texts[1], size, offset)
    for name, position in _ADDRESS_OF.items():
        for call in file.declarations.calls.get(name, ()):
            texts = _texts(file, call)
            if len(texts) > position and (symbol := _symbol(texts[position])):
                yield from _through_address(file, call, symbol, texts[0])


def _through_address(file: File, taken: Call, symbol: str, target: str) -> Iterator[_Copy]:
    """The copies to a variable's address, in the function that asks for it.

    Where there are none, somebody may write to the variable unseen.
    """
    tokens = without_casts(tokenize(target))
    pointer = spell(tokens[1:]) if tokens and tokens[0].text == "&" else ""
    here = file.declarations.function_at(taken.node.start_byte)
    copied = False
    for name in _BY_ADDRESS:
        for call in file.declarations.calls.get(name, ()):
            if file.declarations.function_at(call.node.start_byte) is not here:
                continue
            texts = _texts(file, call)
            later = call.node.start_byte > taken.node.start_byte
            if later and len(texts) >= 3 and spell(without_casts(tokenize(texts[0]))) == pointer:
                copied = True
                yield _Copy(symbol, call, texts[1], texts[2])
    if not copied:
        yield _Copy(symbol, taken, "")


def _texts(file: File, call: Call) -> list[str]:
    return [file.source.text_of(argument) for argument in call.arguments]


def _symbol(text: str) -> str:
    """The variable that an argument names; "" where it is none: `width`, `&lib::width`, "width"."""
    tokens: Sequence[Token] = without_casts(tokenize(text))
    if tokens and tokens[0].text == "&":
        tokens = tokens[1:]
    if len(tokens) == 1 and tokens[0].kind == "string":
        return tokens[0].text.strip('"')
    path = [t.text for t in tokens if t.text != "::"]
    return "::".join(path) if path and all(p.isidentifier() for p in path) else ""


def _evaluated(file: File, copy: _Copy, session: Session) -> SymbolValue:
    """One way in which a copy happens. Raises UndecidedError."""
    place = Environment(session, file, copy.call.node.start_byte)
    pins_at(place)
    offset = _number(fold(copy.offset, place)) if copy.offset else 0
    size = _number(fold(copy.size, place)) if copy.size else None
    held = held_values(copy.source, place) if copy.source and offset is not None else ()
    run = symbol_copy(place)
    if run is not None and offset in (None, run.offset):
        size = run.size if size is None else size
        offset, held = run.offset, _together(held, run.values if size is not None else ())
    return SymbolValue(
        copy.symbol,
        copy.source,
        file.source.span(copy.call.node),
        offset,
        size,
        tuple(
            each.moved(offset or 0)
            for each in held
            if size is None or each.offset + each.size <= size
        ),
    )


def _together(folded: Sequence[HeldValue], seen: Sequence[HeldValue]) -> tuple[HeldValue, ...]:
    """What folds of the bytes that are copied, and of the others what a run copied there."""
    taken = {at for each in folded for at in range(each.offset, each.offset + each.size)}
    others = (v for v in seen if taken.isdisjoint(range(v.offset, v.offset + v.size)))
    return (*folded, *others)


def _number(value: Value | None) -> int | None:
    return None if value is None or value.number < 0 else int(value.number)


def _unknown(file: File, copy: _Copy) -> SymbolValue:
    return SymbolValue(copy.symbol, copy.source, file.source.span(copy.call.node), None)
