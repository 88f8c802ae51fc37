"""Building operations: constants folded, and bit operations turned into polynomials where provable.

Compilers write `or.b32 %r, %r_shl, 1` for `2*tid + 1` and mask with no effect; what the value
ranges and known zero bits prove is undone here. Ranges come from the hardware's limits
(CUDA C++ programming guide, "Technical Specifications per Compute Capability").
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from perflint.analysis import operations
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Op, Opaque, Special, Symbol

#: Inclusive upper bounds of special registers; all of them are at least 0.
_LIMITS = {
    "%tid.x": 1023, "%tid.y": 1023, "%tid.z": 63,
    "%ntid.x": 1024, "%ntid.y": 1024, "%ntid.z": 64,
    "%laneid": 31, "%warpid": 63, "%nwarpid": 64,
    "%ctaid.x": 2**31 - 2, "%ctaid.y": 65534, "%ctaid.z": 65534,
    "%nctaid.x": 2**31 - 1, "%nctaid.y": 65535, "%nctaid.z": 65535,
}  # fmt: skip

Range = tuple[int, int]


def special_limit(name: str, directives: Mapping[str, tuple[int, ...]]) -> int | None:
    """The largest value of a special register that is never negative, or None.

    `directives` are the kernel's. `.reqntid` gives the block's shape, `.maxntid` how many threads
    it has at most, however they are laid out (PTX ISA, performance-tuning directives).
    """
    limit = _LIMITS.get(name)
    register, _, axis = name.rpartition(".")
    if limit is None or register not in ("%tid", "%ntid"):
        return limit
    if required := directives.get("reqntid"):
        threads = (*required, 1, 1)["xyz".index(axis)]
    else:
        threads = min(prod(directives.get("maxntid", (1024,))), limit + (register == "%tid"))
    return threads - (register == "%tid")


def _symbol_range(symbol: Symbol) -> Range | None:
    if isinstance(symbol, (Opaque, Special)) and symbol.limit is not None:
        return 0, symbol.limit
    limit = _LIMITS.get(symbol.text)
    if limit is not None:
        return 0, limit
    if isinstance(symbol, Op):
        opcode = symbol.name.partition(".")[0]
        if opcode == "setp":
            return 0, 1
        ranges = [value_range(a) for a in symbol.arguments]
        if opcode == "and":
            highs = [r[1] for r in ranges if r is not None and r[0] >= 0]
            return (0, min(highs)) if highs else None
        if opcode == "rem" and ranges[0] and ranges[0][0] >= 0 and ranges[1] and ranges[1][0] > 0:
            return 0, min(ranges[0][1], ranges[1][1] - 1)
        if symbol.name.startswith("bfe.u") and (bits := symbol.arguments[2].constant) is not None:
            return 0, (1 << min(bits & 0xFF, operations.width(symbol.name))) - 1
        amount = symbol.arguments[1].constant if opcode == "shr" else None
        if amount is not None and ranges[0] and ranges[0][0] >= 0:
            return ranges[0][0] >> amount, ranges[0][1] >> amount
    return None


def value_range(polynomial: Polynomial) -> Range | None:
    """Inclusive bounds that hold for every launch, or None."""
    low = high = 0
    for monomial, coefficient in polynomial.terms.items():
        a, b = 1, 1
        for symbol in monomial:
            found = _symbol_range(symbol)
            if found is None or found[0] < 0:
                return None
            a, b = a * found[0], b * found[1]
        low += coefficient * (a if coefficient > 0 else b)
        high += coefficient * (b if coefficient > 0 else a)
    return low, high


def zero_bits(polynomial: Polynomial) -> int:
    """How many of the lowest bits are surely zero (64 for the constant 0)."""
    out = 64
    for coefficient in polynomial.terms.values():
        out = min(out, (coefficient & -coefficient).bit_length() - 1)
    return out


def _possible_bits(value: Polynomial) -> int | None:
    """The bits that may be set in a value; None where that is not known, or terms may carry."""
    found = 0
    for monomial, coefficient in value.terms.items():
        term = Polynomial({monomial: coefficient})
        bounds = value_range(term)
        if bounds is None or bounds[0] < 0:
            return None
        bits = max(0, (1 << bounds[1].bit_length()) - (1 << zero_bits(term)))
        bits = bits if monomial else coefficient
        if found & bits:
            return None
        found |= bits
    return found


def _disjoint(a: Polynomial, b: Polynomial) -> bool:
    """Whether no bit can be set in both."""
    for low, high in ((a, b), (b, a)):
        bounds = value_range(low)
        if bounds and bounds[0] >= 0 and bounds[1] < 1 << zero_bits(high):
            return True
    bits = _possible_bits(a), _possible_bits(b)
    return bits[0] is not None and bits[1] is not None and not bits[0] & bits[1]


def _multiples(value: Polynomial, divisor: int) -> tuple[Polynomial, Polynomial]:
    """The terms that are multiples of the divisor, and the rest; constants are parted, too."""
    whole, rest = value.split(lambda m: value.terms[m] % divisor == 0)
    constant = rest.number
    moved = constant - constant % divisor
    return whole + moved, rest - moved


def _counts(*values: Polynomial) -> bool:
    """Whether all values are surely not negative."""
    bounds = [value_range(v) for v in values]
    return all(b is not None and b[0] >= 0 for b in bounds)


def _quotient(name: str, value: Polynomial, divisor: int) -> Polynomial | None:
    """`value / divisor` where it is whole, or the whole part of it apart: 8*c + (l >> 5)."""
    exact = value.divided_by(divisor)
    if exact is not None:
        return exact
    bounds = value_range(value)
    if bounds is not None and bounds[0] >= 0 and bounds[1] < divisor:
        return Polynomial()
    whole, rest = _multiples(value, divisor)
    if not whole.terms or not _counts(value, rest):
        return None
    quotient = whole.divided_by(divisor)
    by = Polynomial(divisor.bit_length() - 1 if name.startswith("shr") else divisor)
    return None if quotient is None else quotient + build(name, (rest, by))


def _masked(value: Polynomial, mask: int, bits: int) -> Polynomial | None:
    """`value & mask` where that is the value itself or zero."""
    mask &= (1 << bits) - 1
    cleared = zero_bits(value)
    if mask >> cleared == 0:
        return Polynomial()
    if mask >> cleared == (1 << max(bits - cleared, 0)) - 1:
        return value
    bounds = value_range(value)
    if mask & (mask + 1) == 0:  # of the form 2**k - 1: multiples of 2**k do not matter
        whole, rest = _multiples(value, mask + 1)
        if whole.terms:
            return build(f"and.b{bits}", (rest, Polynomial(mask)))
    # The mask must keep every bit from the lowest that may be set to the highest.
    if bounds and bounds[0] >= 0 and (mask >> cleared) & ((mask >> cleared) + 1) == 0:
        return value if bounds[1] <= mask | ((1 << cleared) - 1) else None
    return None


def build(name: str, arguments: tuple[Polynomial, ...]) -> Polynomial:
    """The operation over these arguments, as a polynomial where that is provable."""
    constants = [a.constant for a in arguments]
    known = [c for c in constants if c is not None]
    if len(known) == len(constants):
        try:
            return Polynomial(int(operations.evaluate(name, list(known))))
        except (KeyError, ValueError, OverflowError):
            return Polynomial.of(Op(name, arguments))
    found = _simplified(name, arguments, constants)
    return Polynomial.of(Op(name, arguments)) if found is None else found


def _simplified(
    name: str, arguments: tuple[Polynomial, ...], constants: list[int | None]
) -> Polynomial | None:
    opcode = name.partition(".")[0]
    first, last = arguments[0], constants[-1]
    match opcode:
        case "and" | "or" | "xor" if len(arguments) == 2:
            return _bitwise(opcode, name, arguments, constants)
        case "shr" if last is not None and 0 <= last < 63:
            return first if last == 0 else _quotient(name, first, 1 << last)
        case "shl" if last is not None and 0 <= last < 63:
            return first * (1 << last)
        case "div" if last is not None and last > 0:
            return _quotient(name, first, last)
        case "rem" if last is not None and last > 0:
            bounds = value_range(first)
            if first.divided_by(last) is not None:
                return Polynomial()
            if bounds and bounds[0] >= 0 and bounds[1] < last:
                return first
            whole, rest = _multiples(first, last)
            return (
                build(name, (rest, arguments[1])) if whole.terms and _counts(first, rest) else None
            )
        case "bfe" if name.startswith("bfe.u") and None not in constants[1:]:
            return _field(name, arguments, constants)
        case "bfi" if constants[2] is not None and constants[3] is not None:
            # The field of b must be zero, and a must fit: then it is b + a << position.
            position, length = constants[2], constants[3]
            bounds = value_range(arguments[0])
            inserted = arguments[0] * (1 << max(position, 0))
            fits = bounds is not None and bounds[0] >= 0 and bounds[1] < 1 << max(length, 0)
            return inserted + arguments[1] if fits and _disjoint(inserted, arguments[1]) else None
        case "selp":
            if arguments[0] == arguments[1]:
                return first
            if last is not None:
                return arguments[0] if last else arguments[1]
            return _factored_selection(name, arguments)
        case "min" | "max" if len(arguments) == 2:
            return first if arguments[0] == arguments[1] else None
    return None


def _field(
    name: str, arguments: tuple[Polynomial, ...], constants: list[int | None]
) -> Polynomial | None:
    """A field that holds all that is set from its lowest bit on is a shift."""
    position, length = constants[1] or 0, constants[2] or 0
    bounds = value_range(arguments[0])
    if bounds is None or bounds[0] < 0 or not 0 <= position < operations.width(name):
        return None
    whole = 0 <= length < 256 and bounds[1] >> position < 1 << length
    return build(f"shr.{name.partition('.')[2]}", arguments[:2]) if whole else None


def _bitwise(
    opcode: str, name: str, arguments: tuple[Polynomial, ...], constants: list[int | None]
) -> Polynomial | None:
    a, b = arguments
    if opcode == "and":
        for value, mask in ((a, constants[1]), (b, constants[0])):
            if mask is not None:
                return _masked(value, mask, operations.width(name))
        return a if a == b else None
    if constants[0] == 0 or constants[1] == 0:
        return a + b
    if not name.endswith(".pred") and _disjoint(a, b):
        return a + b
    return None


def _factored_selection(name: str, arguments: tuple[Polynomial, ...]) -> Polynomial | None:
    """`p ? base + x : base + y` as `base + (p ? x : y)`: the array stays visible."""
    common, (x, y) = common_part(arguments[:2])
    if not common.terms:
        return None
    return common + Polynomial.of(Op(name, (x, y, arguments[2])))


def common_part(
    values: tuple[Polynomial, ...],
) -> tuple[Polynomial, tuple[Polynomial, ...]]:
    """The terms that all values share, and what each has besides them. Constants stay apart."""
    first, *others = values
    shared, _ = first.split(
        lambda m: bool(m) and all(o.terms.get(m) == first.terms[m] for o in others)
    )
    return shared, tuple(v - shared for v in values)
