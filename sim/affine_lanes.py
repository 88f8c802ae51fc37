"""Integers that are affine in the thread's and the block's indices, kept without an array.

Indices and addresses are mostly `base + a * tid.x + b * ctaid.x + …`. Such a value is a base and a
pattern, what the lanes add to it; sums and products by a number all lanes share change only those.
Arrays are made where something else is asked of the value. The arithmetic is that of the register's
width: coefficients are kept modulo 2^bits, nearest to 0, and whatever depends on the value's sign
or size (comparing, widening) is answered only where the pattern's bounds leave no doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from perflint.sim.patterns import KINDS, Axes, Kind, Pattern
from perflint.sim.values import Value


class Affine:
    """One integer per lane of a whole population, `base + pattern` in a type.

    Behaves as the array of these numbers does. Results are again affine where they can be.
    """

    __slots__ = ("_array", "base", "kind", "pattern")
    ndim = 1

    def __init__(self, pattern: Pattern, base: int, kind: Kind) -> None:
        self.pattern, self.base, self.kind = pattern, base & kind.mask, kind
        self._array: np.ndarray | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.kind.dtype

    @property
    def array(self) -> np.ndarray:
        """The numbers as an array, (n,)."""
        if self._array is None:
            kind = self.kind
            if kind.bits == 64:
                whole = self.pattern.offsets.view(np.uint64) + np.uint64(self.base)
            elif kind.bits == 32:
                whole = self.pattern.words + np.uint32(self.base)
            else:
                whole = (self.pattern.words + np.uint32(self.base)).astype(kind.unsigned)
            self._array = whole.view(kind.dtype)
        return self._array

    def resolved(self) -> int | None:
        """The base as a true integer: base + pattern is then each lane's number, unwrapped.

        None where the bounds do not rule out that some lane wraps around.
        """
        kind, pattern, base = self.kind, self.pattern, self.base
        if not kind.signed:
            for candidate in (base, base - kind.mask - 1):  # the latter as in `i - 1`
                if candidate + pattern.low >= 0 and candidate + pattern.high <= kind.mask:
                    return candidate
            return None
        for candidate in (base, base - kind.mask - 1):
            if candidate + pattern.low >= -kind.half and candidate + pattern.high < kind.half:
                return candidate
        return None

    def moved(self, axes: Axes) -> Affine:
        """The same numbers for the lanes of a subset's axes."""
        return Affine(axes.pattern(self.pattern.coefficients), self.base, self.kind)

    # --- as an array -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.pattern.axes.count

    def __getitem__(self, chosen: Any) -> Any:
        return self.array[chosen]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.array, name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.array if dtype is None else self.array.astype(dtype)

    def view(self, dtype: Any) -> Value:
        kind = KINDS.get(np.dtype(dtype))
        if kind is None or kind.bits != self.kind.bits:
            return self.array.view(dtype)
        return self if kind is self.kind else Affine(self.pattern, self.base, kind)

    def astype(self, dtype: Any, **options: Any) -> Value:
        kind = KINDS.get(np.dtype(dtype))
        if kind is None:
            return self.array.astype(dtype, **options)
        if kind.bits <= self.kind.bits:
            if kind.bits == self.kind.bits:
                return self.view(dtype)
            pattern = self.pattern.axes.combined(self.pattern, self.pattern, 0, kind)
            return _made(pattern, self.base, kind)
        base = self.resolved()
        if base is None:
            return self.array.astype(dtype, **options)
        return Affine(self.pattern, base, kind)

    def __neg__(self) -> Value:
        return _negative(self)

    def __invert__(self) -> Value:
        return _inverted(self)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.ndim:
            return 1
        if function is np.where and len(args) == 3 and np.ndim(args[0]) == 0:
            chosen, other = (args[1], args[2]) if args[0] else (args[2], args[1])
            if getattr(chosen, "dtype", None) == getattr(other, "dtype", 0):
                return chosen
        return function(*plain(args), **{k: plain(v) for k, v in options.items()})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        known = _UFUNCS.get(ufunc)
        if known is not None and method == "__call__" and not options:
            return known(*inputs)
        return getattr(ufunc, method)(*plain(inputs), **options)


def plain(value: Any) -> Any:
    """Affine values as arrays, also inside tuples and lists."""
    if type(value) is Affine:
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)(plain(v) for v in value)
    return value


def _made(pattern: Pattern, base: int, kind: Kind) -> Value:
    return Affine(pattern, base, kind) if pattern.granule else kind.scalar(base)


def _terms(a: Value, b: Value) -> tuple[Pattern, int, Pattern, int, Kind] | None:
    """Both operands as pattern and base; None where one is neither affine nor a like scalar."""
    if type(a) is Affine:
        kind = a.kind
        if type(b) is Affine:
            if b.kind is not kind or b.pattern.axes is not a.pattern.axes:
                return None
            return a.pattern, a.base, b.pattern, b.base, kind
        if isinstance(b, kind.type):
            return a.pattern, a.base, a.pattern.axes.zero, int(b), kind
        return None
    if isinstance(a, b.kind.type):
        return b.pattern.axes.zero, int(a), b.pattern, b.base, b.kind
    return None


def _sum(a: Value, b: Value) -> Value:
    if type(a) is Affine and isinstance(b, a.kind.type):
        return Affine(a.pattern, a.base + int(b), a.kind)
    found = _terms(a, b)
    if found is None:
        return np.add(plain(a), plain(b))
    p, x, q, y, kind = found
    return _made(p.axes.combined(p, q, 1, kind), x + y, kind)


def _difference(a: Value, b: Value) -> Value:
    found = _terms(a, b)
    if found is None:
        return np.subtract(plain(a), plain(b))
    p, x, q, y, kind = found
    return _made(p.axes.combined(p, q, -1, kind), x - y, kind)


def _product(a: Value, b: Value) -> Value:
    found = _terms(a, b)
    if found is None or (found[0].granule and found[2].granule):
        return np.multiply(plain(a), plain(b))
    p, x, q, y, kind = found
    if q.granule:
        p, x, y = q, y, x
    return _made(p.axes.combined(p.axes.zero, p, kind.near(y), kind), x * y, kind)


def _left_shift(a: Value, b: Value) -> Value:
    found = _terms(a, b)
    if found is None or found[2].granule or not 0 <= found[3] < found[4].bits:
        return np.left_shift(plain(a), plain(b))
    return _product(a, found[4].scalar(1 << found[3]))


def _right_shift(a: Value, b: Value) -> Value:
    found = _terms(a, b)
    if found is not None and not found[2].granule and 0 <= found[3] < found[4].bits:
        p, _, _, count, kind = found
        base = a.resolved()
        if base is not None and p.multiple_of(1 << count):
            # floor((base + pattern) / 2^count): the pattern divides, the base is floored
            halved = p.axes.pattern(tuple(k >> count for k in p.coefficients))
            return _made(halved, base >> count, kind)
    return np.right_shift(plain(a), plain(b))


def _and(a: Value, b: Value) -> Value:
    found = _terms(a, b)
    if found is not None and not (found[0].granule and found[2].granule):
        number, mask = (a, found[3]) if found[0].granule else (b, found[1])
        kind = number.kind
        mask &= kind.mask
        low = mask & -mask
        if mask and mask == kind.mask - (low - 1):  # clears low bits
            if number.pattern.multiple_of(low):
                return Affine(number.pattern, number.base & mask, kind)
        elif mask & (mask + 1) == 0:  # keeps low bits
            base = Affine(number.pattern, number.base, KINDS[kind.unsigned]).resolved()
            if base is not None and base + number.pattern.high <= mask:
                return number
    return np.bitwise_and(plain(a), plain(b))


def _or(a: Value, b: Value) -> Value:
    """A sum where no bit can be set in both."""
    found = _terms(a, b)
    if found is not None:
        p, x, q, y, kind = found
        for high, base, low, small in ((p, x, q, y), (q, y, p, x)):
            small &= kind.mask
            if small + low.low >= 0:
                room = 1 << (small + low.high).bit_length()
                if high.multiple_of(room) and base % room == 0:
                    return _sum(a, b)
    return np.bitwise_or(plain(a), plain(b))


def _negative(a: Value) -> Value:
    axes = a.pattern.axes
    return Affine(axes.combined(axes.zero, a.pattern, -1, a.kind), -a.base, a.kind)


def _inverted(a: Value) -> Value:
    return _sum(_negative(a), a.kind.scalar(-1))


def _range(a: Value, b: Value) -> tuple[int, int] | None:
    """Bounds of a - b as true integers."""
    found = _terms(a, b)
    if found is None:
        return None
    p, x, q, y, _ = found
    first = a.resolved() if type(a) is Affine else x
    second = b.resolved() if type(b) is Affine else y
    if first is None or second is None:
        return None
    if not q.granule:
        return first - second + p.low, first - second + p.high
    if not p.granule:
        return first - second - q.high, first - second - q.low
    ends = [
        (k - m) * most
        for k, m, most in zip(p.coefficients, q.coefficients, p.axes.most, strict=True)
    ]
    low, high = sum(e for e in ends if e < 0), sum(e for e in ends if e > 0)
    return first - second + low, first - second + high


def _comparison(
    function: Any, yes: Callable[[int, int], bool], no: Callable[[int, int], bool]
) -> Callable[[Value, Value], Value]:
    """A comparison, decided by the bounds of the difference where they do."""

    def compare(a: Value, b: Value) -> Value:
        bounds = _range(a, b)
        if bounds is not None:
            if yes(*bounds):
                return np.True_
            if no(*bounds):
                return np.False_
        return function(plain(a), plain(b))

    return compare


def _extreme(ufunc: Any, first_if: Callable[[int, int], bool]) -> Callable[[Value, Value], Value]:
    def extreme(a: Value, b: Value) -> Value:
        bounds = _range(a, b)
        if bounds is not None:
            if first_if(*bounds):
                return a
            if first_if(-bounds[1], -bounds[0]):
                return b
        return ufunc(plain(a), plain(b))

    return extreme


_Decided = Callable[[int, int], bool]
_BELOW: _Decided = lambda low, high: high < 0  # noqa: E731
_ABOVE: _Decided = lambda low, high: low > 0  # noqa: E731
_AT_MOST: _Decided = lambda low, high: high <= 0  # noqa: E731
_AT_LEAST: _Decided = lambda low, high: low >= 0  # noqa: E731
_SAME: _Decided = lambda low, high: low == high == 0  # noqa: E731
_APART: _Decided = lambda low, high: low > 0 or high < 0  # noqa: E731

_UFUNCS: dict[Any, Callable[..., Value]] = {
    np.add: _sum,
    np.subtract: _difference,
    np.multiply: _product,
    np.left_shift: _left_shift,
    np.right_shift: _right_shift,
    np.bitwise_and: _and,
    np.bitwise_or: _or,
    np.negative: _negative,
    np.invert: _inverted,
    np.less: _comparison(np.less, _BELOW, _AT_LEAST),
    np.less_equal: _comparison(np.less_equal, _AT_MOST, _ABOVE),
    np.greater: _comparison(np.greater, _ABOVE, _AT_MOST),
    np.greater_equal: _comparison(np.greater_equal, _AT_LEAST, _BELOW),
    np.equal: _comparison(np.equal, _SAME, _APART),
    np.not_equal: _comparison(np.not_equal, _APART, _SAME),
    np.minimum: _extreme(np.minimum, _AT_MOST),
    np.maximum: _extreme(np.maximum, _AT_LEAST),
}

_OPERATORS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "lshift": np.left_shift,
    "rshift": np.right_shift, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "floordiv": np.floor_divide, "mod": np.remainder, "truediv": np.true_divide,
}  # fmt: skip
_COMPARISONS: dict[str, Any] = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip


def _method(ufunc: Any, swapped: bool = False) -> Callable[[Value, Value], Value]:
    known = _UFUNCS.get(ufunc)
    if known is None:
        known = lambda a, b: ufunc(plain(a), plain(b))  # noqa: E731
    if swapped:
        return lambda self, other: known(*_same(other, self))
    return lambda self, other: known(*_same(self, other))


def _same(a: Value, b: Value) -> tuple[Value, Value]:
    """Numbers of Python's take the other operand's type, as in NumPy."""
    if type(a) is int:
        return b.kind.type(a), b
    return (a, a.kind.type(b)) if type(b) is int else (a, b)


for _name, _ufunc in _OPERATORS.items():
    setattr(Affine, f"__{_name}__", _method(_ufunc))
    setattr(Affine, f"__r{_name}__", _method(_ufunc, swapped=True))
for _name, _ufunc in _COMPARISONS.items():
    setattr(Affine, f"__{_name}__", _method(_ufunc))
Affine.__hash__ = None  # type: ignore[assignment]
