"""What linear forms of a loop's counters come to: turns that are left, registers turns later."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from perflint.sim.counted_loops import CountedLoop, Extended, Linear, Step
from perflint.sim.values import UNSIGNED, Value

_LARGE = 1 << 62  #: numbers below do not overflow where two are added

Registers = list[Value]
Positions = np.ndarray | None  #: of the lanes that run; None: all of the population


def turns_left(
    loop: CountedLoop, registers: Registers, lanes: Positions, most: bool = False
) -> int:
    """How many turns each of the lanes goes on for at least; 0 where that is not known.

    With `most`, how many the last of them goes on for. Counters that would wrap around on their way
    tell nothing.
    """
    test = loop.test
    sides = (test.left, test.right)
    left, right = (_numbers(side, registers, lanes, test.signed) for side in sides)
    ahead, behind = (_added(loop, side, registers, lanes) for side in sides)
    if left is None or right is None or ahead is None or behind is None:
        return 0
    distance, step = np.broadcast_arrays(right - left, ahead - behind)
    if test.comparison in ("gt", "ge"):
        distance, step = -distance, -step
    if test.comparison == "ne":
        if (step == 0).any() or (distance % np.where(step, step, 1)).any():
            return 0
        turns = distance // step
    elif (step <= 0).any():
        return 0
    else:
        turns = -(-(distance + (test.comparison in ("le", "ge"))) // step)
    turns = np.maximum(turns if most else turns.min(), 0)
    bits = test.left.bits
    low, high = (-1 << bits - 1, 1 << bits - 1) if test.signed else (0, 1 << bits)
    for side, each in ((left, ahead), (right, behind)):
        end = side.astype(float) + turns * each.astype(float)
        if (end < max(low, -_LARGE)).any() or (end >= min(high, _LARGE)).any():
            return 0
    return int(turns.max())


def turn_adds(
    loop: CountedLoop, form: Extended, registers: Registers, lanes: Positions, turns: int
) -> int | None:
    """What each of so many turns adds to a form.

    None where that is not the same number in all lanes, or where a part wraps around, on the way
    or since the turn before.
    """
    added = _added(loop, form.base, registers, lanes)
    for part, signed, times in form.parts:
        now = _numbers(part, registers, lanes, signed)
        step = _added(loop, part, registers, lanes)
        if added is None or now is None or step is None:
            return None
        low, high = (-1 << 31, 1 << 31) if signed else (0, 1 << 32)
        for numbers in (now - step, now + turns * step):
            if numbers.min() < low or numbers.max() >= high:
                return None
        added = added + times * step
    if added is None or not added.size or added.min() != added.max():
        return None
    return int(added.flat[0])


def _added(
    loop: CountedLoop, side: Linear, registers: Registers, lanes: Positions
) -> np.ndarray | None:
    """What a turn adds to a form in each lane, as `_numbers` gives it."""
    counted = Linear(side.bits, 0, {s: n for s, n in side.terms.items() if s in loop.steps})
    now = _now(registers, lanes)
    return _as_numbers(_sum(counted, lambda slot: _value(loop.steps[slot], now)), signed=True)


def _numbers(
    form: Linear, registers: Registers, lanes: Positions, signed: bool
) -> np.ndarray | None:
    """What a form is in each lane, int64 (n,) or (); None for numbers that are too large."""
    return _as_numbers(_sum(form, _now(registers, lanes)), signed)


def _as_numbers(value: Value, signed: bool) -> np.ndarray | None:
    found = np.asarray(value)
    if signed:
        found = found.view(np.dtype(f"i{found.dtype.itemsize}"))
    numbers = found.astype(np.int64)
    large = (numbers >= _LARGE) | (numbers < (-_LARGE if signed else 0))
    return None if large.any() else numbers


def advance(
    loop: CountedLoop,
    turns: int,
    registers: Registers,
    lanes: Positions,
    write: Callable[[int, Value], None],
) -> None:
    """Set what a loop carries on to what it is so many turns later."""
    now = _now(registers, lanes)
    added = {slot: _value(step, now) for slot, step in loop.steps.items()}
    last = {
        slot: now(slot) + each * each.dtype.type((turns - 1) % (1 << 8 * each.dtype.itemsize))
        for slot, each in added.items()
    }
    made = {
        **{slot: _sum(form, lambda s: last.get(s, now(s))) for slot, form in loop.behind.items()},
        **{slot: last[slot] + each for slot, each in added.items()},
    }
    for slot, value in made.items():
        write(slot, value)


def _now(registers: Registers, lanes: Positions) -> Callable[[int], Value]:
    """What the registers hold."""
    return lambda slot: _of(registers[slot], lanes)


def _value(form: Step, held: Callable[[int], Value]) -> Value:
    """What a turn adds, in the type of its width."""
    if isinstance(form, Linear):
        return _sum(form, held)
    total = _sum(form.base, held)
    for part, signed, times in form.parts:
        narrow = np.asarray(_sum(part, held))
        wide = (narrow.view(np.int32) if signed else narrow).astype(np.uint64)
        total = total + wide * np.uint64(times % (1 << 64))
    return total


def _sum(form: Linear, held: Callable[[int], Value]) -> Value:
    """A form's value in the type of its width."""
    kind = UNSIGNED[form.bits // 8].type
    total = kind(form.constant)
    for slot, count in form.terms.items():
        value = held(slot)
        total = (value if count == 1 else value * kind(count % (1 << form.bits))) + total
    return total


def _of(register: Value, lanes: Positions) -> Value:
    return register if lanes is None or register.ndim == 0 else register[lanes]
