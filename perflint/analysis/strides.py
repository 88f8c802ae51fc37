"""The affine view of an address: strides between threads, and what unrolling changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType

from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import (
    ATOMIC,
    BLOCK,
    LANE,
    LANES,
    LOADED,
    TID_X,
    TID_Y,
    TID_Z,
    Loop,
    Op,
    Opaque,
    Symbol,
    operation_text,
)

#: Per axis: the thread index, the bit of whatever depends on it, and what steps along with it.
#: Neighbours in x are neighbouring lanes; neighbours in y and z are some unknown number apart.
_AXES = {
    "x": (TID_X | LANE, ("%tid.x", "%laneid")),
    "y": (TID_Y | LANE, ("%tid.y",)),
    "z": (TID_Z | LANE, ("%tid.z",)),
}

#: Of the copies that an unrolled loop's body has, one less: NVVM makes 2, 4, 8 or 16.
_MASKS = frozenset({1, 3, 7, 15})
_INDICES = frozenset(name for _, names in _AXES.values() for name in names)


def stride(address: Polynomial, axis: str) -> Polynomial | None:
    """address(tid + 1) - address(tid) along an axis, if that is the same for every thread.

    None if it is not, or if the index stands inside an operation. Neighbours are assumed to have
    gone round their loops equally often.
    """
    bits, moving = _AXES[axis]
    for symbol in address.symbols:
        if symbol.depends & bits and symbol.text not in moving and not counts_turns(symbol):
            return None
    moved, _ = address.split(lambda monomial: any(s.text in moving for s in monomial))
    if not moved.terms:
        return moved
    further = moved.substitute(lambda s: Polynomial.of(s) + 1 if s.text in moving else None)
    difference = further - moved
    return None if difference.depends & LANES else difference


def counts_turns(symbol: Symbol) -> bool:
    """Whether a value that lanes choose is what a loop leaves after no turn, or after some.

    Compilers put the turns that are left over before an unrolled loop: what that loop begins with
    is chosen by whether there were such, and neighbours are assumed to agree in that.
    """
    if not isinstance(symbol, Op) or symbol.name != "selp":
        return False
    one, other, condition = symbol.arguments
    if (one.depends | other.depends) & LANES:
        return False
    skipped = _without_turns(one) == other or _without_turns(other) == one
    return skipped and any(map(_is_remainder, _operations(condition)))  # the dear question last


def _operations(formula: Polynomial) -> Iterator[Op]:
    for symbol in formula.symbols:
        if isinstance(symbol, Op):
            yield symbol
            for argument in symbol.arguments:
                yield from _operations(argument)


def _is_remainder(operation: Op) -> bool:
    """Whether a value is what is left of a number of turns: `turns & 3`, of four copies."""
    masks = (each.constant for each in operation.arguments)
    return operation.name.startswith("and") and any(mask in _MASKS for mask in masks)


def _without_turns(value: Polynomial) -> Polynomial:
    """A value after a loop as if it had not been gone round: its counter is one less than 0."""
    return value.substitute(lambda s: Polynomial(-1) if isinstance(s, Loop) else None)


def is_affine(address: Polynomial) -> bool:
    """Whether it is linear in the thread and lane indices, with the same factors in every lane."""
    for monomial in address.terms:
        varying = [s for s in monomial if s.depends & LANES]
        if len(varying) > 1 or any(s.text not in _INDICES for s in varying):
            return False
    return True


def strides(
    address: Polynomial | None, *, exact: bool = True
) -> MappingProxyType[str, Polynomial | None]:
    """The strides in x, y and z, in bytes; none at all if the address is not exact."""
    return MappingProxyType(
        {axis: stride(address, axis) if address is not None and exact else None for axis in _AXES}
    )


def thread_part(
    address: Polynomial, leaf: Callable[[Opaque], str], known: dict[Symbol, str] | None = None
) -> str:
    """A text that two addresses share if they differ by the same amount in every thread.

    Terms that depend on no thread, block or loaded value are dropped: copies of an unrolled loop
    body differ in these. `leaf` identifies opaque values, of which unrolling makes copies, too.
    `known` are the texts of operations so far.
    """
    known = {} if known is None else known
    parts = []
    for monomial, coefficient in address.terms.items():
        if any(_tells_threads_apart(symbol) for symbol in monomial):
            factors = "*".join(sorted(_symbol_text(s, leaf, known) for s in monomial))
            parts.append(f"{coefficient}*{factors}")
    return " + ".join(sorted(parts))


def _tells_threads_apart(symbol: Symbol) -> bool:
    """Whether a symbol belongs to what the source wrote, not to how its loop was unrolled.

    A choice among constants is made where a remainder loop takes over.
    """
    chosen = isinstance(symbol, Opaque) and symbol.chosen
    return bool(symbol.depends & (LANES | BLOCK | LOADED | ATOMIC)) and not chosen


def _symbol_text(symbol: Symbol, leaf: Callable[[Opaque], str], known: dict[Symbol, str]) -> str:
    if isinstance(symbol, Opaque):
        return leaf(symbol)
    if isinstance(symbol, Op) and symbol not in known:
        # An operand without thread part, such as a mask or a modulus, says what the operation does.
        arguments = (
            thread_part(a, leaf, known) if a.depends & (LANES | BLOCK | LOADED | ATOMIC) else a.text
            for a in symbol.arguments
        )
        known[symbol] = operation_text(symbol.name, arguments)
    return known.get(symbol, symbol.text)
