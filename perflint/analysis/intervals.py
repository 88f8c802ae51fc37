"""Strided intervals: the reduced product of the interval and the congruence domain.

A value lies between two bounds and differs from `residue` by a multiple of `stride`; each half
narrows the other (Granger, "Static Analysis of Arithmetical Congruences", 1989; Balakrishnan and
Reps, "Analyzing Memory Accesses in x86 Executables", 2004). Values are mathematical integers.
"""

from __future__ import annotations

from math import gcd, inf, isinf

from perflint.base.records import dataclass

Bound = float | int  #: an int, or an infinity


@dataclass(frozen=True, slots=True)
class Interval:
    """`low <= value <= high` and `value % stride == residue`; stride 0: the one value residue.

    Made by `interval`, which brings the parts into agreement.
    """

    low: Bound
    high: Bound
    stride: int = 1
    residue: int = 0

    @property
    def constant(self) -> int | None:
        """The value, if there is only one."""
        return self.residue if self.stride == 0 else None

    def __contains__(self, value: int) -> bool:
        if not self.low <= value <= self.high:
            return False
        return value == self.residue if self.stride == 0 else value % self.stride == self.residue


ANY = Interval(-inf, inf)
State = Interval | None  #: None: no value at all


def interval(low: Bound, high: Bound, stride: int = 1, residue: int = 0) -> State:
    """The values that satisfy both halves; None if there is none."""
    if stride == 0:
        return Interval(residue, residue, 0, residue) if low <= residue <= high else None
    stride = abs(stride)
    residue %= stride
    if not isinf(low):
        low = low + (residue - int(low)) % stride
    if not isinf(high):
        high = high - (int(high) - residue) % stride
    if low > high:
        return None
    if low == high:
        return Interval(low, high, 0, int(low))
    return Interval(low, high, stride, residue)


def constant(value: int) -> Interval:
    return Interval(value, value, 0, value)


def join(a: State, b: State) -> State:
    """The least strided interval around both."""
    if a is None or b is None:
        return a or b
    stride = gcd(a.stride, b.stride, abs(a.residue - b.residue))
    return interval(min(a.low, b.low), max(a.high, b.high), stride, a.residue)


def meet(a: State, b: State) -> State:
    """The values in both: bounds cut, congruences by the Chinese remainder theorem."""
    if a is None or b is None:
        return None
    low, high = max(a.low, b.low), min(a.high, b.high)
    if a.stride == 0 or b.stride == 0:
        value, other = (a.residue, b) if a.stride == 0 else (b.residue, a)
        return constant(value) if value in other else None
    common = gcd(a.stride, b.stride)
    if (b.residue - a.residue) % common:
        return None
    times = b.stride // common
    turns = (b.residue - a.residue) // common * pow(a.stride // common, -1, times) % times
    return interval(low, high, a.stride * times, a.residue + a.stride * turns)


def widen(old: State, new: State) -> State:
    """A state above both: bounds that moved go to infinity at once; strides only ever divide."""
    both = join(old, new)
    if old is None or both is None:
        return both
    low = both.low if both.low >= old.low else -inf
    high = both.high if both.high <= old.high else inf
    return interval(low, high, both.stride, both.residue)


def narrow(old: State, new: State) -> State:
    """Infinite bounds replaced by those that another round found."""
    if old is None or new is None:
        return new
    low = new.low if isinf(old.low) else old.low
    high = new.high if isinf(old.high) else old.high
    return interval(low, high, old.stride, old.residue) or new


def leq(a: State, b: State) -> bool:
    """Whether every value of a is one of b."""
    if a is None or b is None:
        return a is None
    if not (b.low <= a.low and a.high <= b.high):
        return False
    if b.stride == 0:
        return a.stride == 0 and a.residue == b.residue
    return a.stride % b.stride == 0 and (a.residue - b.residue) % b.stride == 0


# --- arithmetic -----------------------------------------------------------------------------------


def add(a: Interval, b: Interval) -> State:
    return interval(a.low + b.low, a.high + b.high, gcd(a.stride, b.stride), a.residue + b.residue)


def negative(a: Interval) -> State:
    return interval(-a.high, -a.low, a.stride, -a.residue)


def multiply(a: Interval, b: Interval) -> State:
    ends = [_product(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    # (ra + sa i)(rb + sb j) = ra rb + ra sb j + rb sa i + sa sb i j
    stride = gcd(a.residue * b.stride, b.residue * a.stride, a.stride * b.stride)
    return interval(min(ends), max(ends), stride, a.residue * b.residue)


def _product(x: Bound, y: Bound) -> Bound:
    return 0 if x == 0 or y == 0 else x * y


def floor_divide(a: Interval, divisor: int) -> State:
    """Quotient by a positive number, towards minus infinity."""
    low = a.low if isinf(a.low) else int(a.low) // divisor
    high = a.high if isinf(a.high) else int(a.high) // divisor
    if a.stride and a.stride % divisor == 0:
        return interval(low, high, a.stride // divisor, a.residue // divisor)
    return interval(low, high)


def remainder(a: Interval, divisor: int) -> State:
    """`a % divisor` for a positive divisor, with the sign of `a` as C has it."""
    if a.low >= 0 and a.high < divisor:
        return a
    stride = gcd(a.stride, divisor)
    low = 0 if a.low >= 0 else -(divisor - 1)
    return interval(low, divisor - 1 if a.high > 0 else 0, stride, a.residue)


def masked(a: Interval, mask: int) -> State:
    """`a & mask` for a mask that is not negative."""
    if a.low >= 0 and a.high <= mask and mask & (mask + 1) == 0:
        return a
    low_bits = (mask & -mask).bit_length() - 1 if mask else 0
    if mask & (mask + 1) == 0:
        return interval(0, mask, gcd(a.stride, mask + 1), a.residue)
    return interval(0, min(a.high, mask) if a.low >= 0 else mask, 1 << low_bits, 0)


# --- what a comparison says of its left side ------------------------------------------------------


def assume(a: State, comparison: str, b: State) -> State:
    """The values of a for which `a comparison b` may hold: lt, le, gt, ge, eq, ne."""
    if a is None or b is None:
        return None
    match comparison:
        case "lt":
            return interval(a.low, min(a.high, b.high - 1), a.stride, a.residue)
        case "le":
            return interval(a.low, min(a.high, b.high), a.stride, a.residue)
        case "gt":
            return interval(max(a.low, b.low + 1), a.high, a.stride, a.residue)
        case "ge":
            return interval(max(a.low, b.low), a.high, a.stride, a.residue)
        case "eq":
            return meet(a, b)
    if comparison == "ne" and b.constant is not None:
        low = a.low + 1 if a.low == b.constant else a.low
        high = a.high - 1 if a.high == b.constant else a.high
        return interval(low, high, a.stride, a.residue)
    return a
