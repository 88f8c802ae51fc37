"""Atomic operations of many lanes at once, in lane order where they meet at one address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from perflint.sim.meaning.floating import extreme, through_f32
from perflint.sim.meaning.packed import halves
from perflint.sim.meaning.registry import Function
from perflint.sim.values import Value

#: Operations whose old values in a group are a running total of what came before.
_ACCUMULATED: dict[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _increment(old: Value, b: Value) -> Value:
    return np.where(old >= b, old.dtype.type(0), old + old.dtype.type(1))


def _decrement(old: Value, b: Value) -> Value:
    return np.where((old == 0) | (old > b), b, old - old.dtype.type(1))


def function_of(operation: str, ptx_type: str) -> Function | None:
    """new = function(old, b) of an atomic operation on values as they are held; None: no such."""
    if operation == "exch":
        return lambda old, b: b
    if operation in ("inc", "dec"):
        return _increment if operation == "inc" else _decrement
    floats = ptx_type in ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2")
    if not floats:
        return _ACCUMULATED.get(operation)
    base: Function
    if operation == "add":
        base = np.add
    elif operation in ("min", "max"):
        largest = operation == "max"

        def base(a: Value, b: Value) -> Value:
            return extreme(largest, a, b)
    else:
        return None
    if ptx_type.startswith("bf16"):
        base = through_f32(base)
    if ptx_type.endswith("x2"):
        return halves(base, ptx_type[:-2], 2)
    return base


#: What so many equal steps of a function see and leave, where that is known without making them:
#: (value, operand, steps) to (values before each, value behind); None where it is not.
Steps = Callable[[Any, Any, int], tuple[np.ndarray, Any] | None]
AT_ONCE: dict[Function, Steps] = {}


def apply(
    function: Function, key: np.ndarray, memory: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(old values that each lane saw, final value at each lane's address).

    `key` (n,) tells addresses apart; `memory` (n,) is what each lane's address holds beforehand.
    """
    order = np.argsort(key, kind="stable")
    start, group, rank = _groups(key[order])
    values, current = b[order], memory[order][start]
    old = np.empty_like(values)
    size = np.diff(np.append(start, len(order)))
    if isinstance(function, np.ufunc) and int(size.max()) > 8:
        current = _accumulated(function, old, values, current, start, size)
    elif int(size.max()) > 64:
        _one_by_one(function, old, values, current, start, size)
    else:
        for step in range(int(size.max())):
            at = np.flatnonzero(rank == step)
            old[at] = current[group[at]]
            current[group[at]] = function(old[at], values[at])
    return _restored(order, old), _restored(order, current[group])


def compare_and_swap(
    key: np.ndarray, memory: np.ndarray, compare: np.ndarray, swap: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`atom.cas`: as `apply`. One round per successful swap, not per lane."""
    order = np.argsort(key, kind="stable")
    start, group, _ = _groups(key[order])
    current = memory[order][start]
    wanted, new = compare[order], swap[order]
    old = np.empty_like(wanted)
    left = np.ones(len(order), bool)
    while left.any():
        hit = np.flatnonzero(left & (wanted == current[group]))
        first = np.full(len(start), len(order))
        np.minimum.at(first, group[hit], hit)
        settled = left & (np.arange(len(order)) <= first[group])
        old[settled] = current[group[settled]]
        won = first[first < len(order)]
        current[group[won]] = new[won]
        left &= ~settled
    return _restored(order, old), _restored(order, current[group])


def _groups(key: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of sorted keys: where each run starts, each entry's run, and its rank in the run."""
    new = np.empty(len(key), bool)
    new[:1] = True
    np.not_equal(key[1:], key[:-1], out=new[1:])
    start = np.flatnonzero(new)
    group = np.cumsum(new) - 1
    return start, group, np.arange(len(key)) - start[group]


def _restored(order: np.ndarray, values: np.ndarray) -> np.ndarray:
    out = np.empty_like(values)
    out[order] = values
    return out


def _accumulated(
    function: np.ufunc,
    old: np.ndarray,
    values: np.ndarray,
    current: np.ndarray,
    start: np.ndarray,
    size: np.ndarray,
) -> np.ndarray:
    """Running totals, one NumPy call per address; the final values."""
    final = current.copy()
    for index, (begin, count) in enumerate(zip(start.tolist(), size.tolist(), strict=True)):
        run = np.concatenate([current[index : index + 1], values[begin : begin + count]])
        total = function.accumulate(run, dtype=values.dtype)
        old[begin : begin + count] = total[:-1]
        final[index] = total[-1]
    return final


def _one_by_one(
    function: Function,
    old: np.ndarray,
    values: np.ndarray,
    current: np.ndarray,
    start: np.ndarray,
    size: np.ndarray,
) -> None:
    at_once = AT_ONCE.get(function)
    for index, (begin, count) in enumerate(zip(start.tolist(), size.tolist(), strict=True)):
        now, given = current[index], values[begin : begin + count]
        if at_once and (given == given[0]).all():
            found = at_once(now, given[0], count)
            if found is not None:
                old[begin : begin + count], current[index] = found
                continue
        for at in range(begin, begin + count):
            old[at] = now
            now = function(now, values[at])
        current[index] = now
