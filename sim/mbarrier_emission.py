"""How `mbarrier` instructions are compiled (PTX ISA 9.7.13.15).

An mbarrier object is opaque to a program. Here its 64 bits are: pending arrivals in bits 0 to 19,
expected arrivals in bits 20 to 39, pending transaction bytes in bits 40 to 62 (offset by half of
their range, for they may be negative for a while), the phase's parity in bit 63.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from perflint.grammar.model import Address, Instruction, Operand, Sink
from perflint.sim import atomics
from perflint.sim.emission import handles, space_of
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.site import Site
from perflint.sim.values import DTYPE, Value

_COUNT = np.uint64((1 << 20) - 1)
_EXPECTED = np.uint64(20)
_BYTES = np.uint64(40)
_BYTES_MASK = np.uint64(((1 << 23) - 1) << 40)
_NO_BYTES = np.uint64(1 << 62)
_PHASE = np.uint64(1 << 63)


def initial(count: Value) -> Value:
    """A new object's bits: in phase 0, nothing has arrived."""
    expected = count.astype(np.uint64) & _COUNT
    return expected | (expected << _EXPECTED) | _NO_BYTES


def settled(state: Value) -> Value:
    """The next phase begins where neither arrivals nor bytes are pending."""
    done = ((state & _COUNT) == 0) & ((state & _BYTES_MASK) == _NO_BYTES)
    return np.where(done, (state ^ _PHASE) | ((state >> _EXPECTED) & _COUNT), state)


def arrived(state: Value, count: Value) -> Value:
    """`mbarrier.arrive`: `count` arrivals fewer are pending."""
    return settled(state - (count & _COUNT))


def _arrivals(state: Any, count: Any, times: int) -> tuple[np.ndarray, Any] | None:
    """`times` arrivals, one by one: see `atomics.AT_ONCE`."""
    expected, left = int((state >> _EXPECTED) & _COUNT), int(state & _COUNT)
    if count != 1 or not 0 < left <= expected or (state & _BYTES_MASK) != _NO_BYTES:
        return None
    made = (np.arange(times + 1) + (expected - left)).astype(np.uint64)  # since this phase began
    phases, made = np.divmod(made, np.uint64(expected))
    states = ((state & ~_COUNT) ^ (phases << np.uint64(63))) | (np.uint64(expected) - made)
    return states[:-1], states[-1]


atomics.AT_ONCE[arrived] = _arrivals


def dropped(state: Value, count: Value) -> Value:
    """`mbarrier.arrive_drop`: they are not expected in later phases either."""
    return settled(state - (count & _COUNT) - ((count & _COUNT) << _EXPECTED))


def expecting(state: Value, size: Value) -> Value:
    """`mbarrier.expect_tx`: more bytes are pending."""
    return state + (size << _BYTES)


def completed(state: Value, size: Value) -> Value:
    """`mbarrier.complete_tx`: fewer bytes are pending."""
    return settled(state - (size << _BYTES))


def arrived_expecting(state: Value, size: Value) -> Value:
    """`mbarrier.arrive.expect_tx`: more bytes are pending, then one arrival fewer."""
    return arrived(expecting(state, size), np.uint64(1))


def dropped_expecting(state: Value, size: Value) -> Value:
    """`mbarrier.arrive_drop.expect_tx`."""
    return dropped(expecting(state, size), np.uint64(1))


def over(now: Value, state: Value) -> Value:
    """`mbarrier.test_wait`: whether the phase of an earlier state has ended."""
    return ((now ^ state) & _PHASE) != 0


def parity_over(now: Value, parity: Value) -> Value:
    """`mbarrier.test_wait.parity`: whether the phase of this parity has ended."""
    return (now >> np.uint64(63)) != (parity & np.uint32(1))


def pending(state: Value) -> Value:
    """`mbarrier.pending_count` of a state."""
    return (state & _COUNT).astype(np.uint32)


def object_site(e: Emitter, i: Instruction, address: Operand, kind: str) -> tuple[str, str]:
    """(the name of an untraced access to the object, its address): it is no data."""
    if not isinstance(address, Address):
        raise NoMeaningError
    space = space_of(e, i, address)
    site: Site = e.names[e.site(i, space, kind, "u64")]
    return e.refer(replace(site, traced=False)), e.address(address, space)


def _update(e: Emitter, i: Instruction, change: Callable[..., Value], by: str) -> None:
    """Change the objects that the lanes name, one lane after another; the result is the state
    before."""
    first, *rest = i.operands
    address, destination = (first, Sink()) if isinstance(first, Address) else (rest[0], first)
    site, where = object_site(e, i, address, "atomic")
    call = f"m.device.atomic(a, {site}, {e.refer(change)}, {where}, {by})"
    e.write(destination, e.assign(call), "u64")


def _count(e: Emitter, i: Instruction, required: bool) -> str:
    """The operand behind the address, as 64 bits; 1 where none is written."""
    at = next(k for k, operand in enumerate(i.operands) if isinstance(operand, Address)) + 1
    if len(i.operands) > at:
        return f"{e.use(i.operands[at], 'u32')}.astype({e.dtype(DTYPE['u64'])})"
    if required:
        raise NoMeaningError
    return e.number(1, "int", DTYPE["u64"])


@handles("mbarrier")
def _mbarrier(e: Emitter, i: Instruction) -> None:
    action = i.modifiers[0]
    if action == "init":
        site, where = object_site(e, i, i.operands[0], "store")
        e.line(f"m.store(a, {site}, {where}, ({e.refer(initial)}({e.use(i.operands[1], 'u32')}),))")
    elif action == "inval":
        return
    elif action in ("arrive", "arrive_drop"):
        expects = "expect_tx" in i.modifiers
        change = {
            ("arrive", False): arrived,
            ("arrive", True): arrived_expecting,
            ("arrive_drop", False): dropped,
            ("arrive_drop", True): dropped_expecting,
        }[action, expects]
        _update(e, i, change, _count(e, i, expects))
    elif action in ("expect_tx", "complete_tx"):
        _update(e, i, expecting if action == "expect_tx" else completed, _count(e, i, True))
    elif action in ("test_wait", "try_wait"):
        _wait(e, i)
    elif action == "pending_count":
        state = e.use(i.operands[1], "u64")
        e.write(i.operands[0], e.assign(f"{e.refer(pending)}({state})"), "u32")
    else:
        raise NoMeaningError


def _wait(e: Emitter, i: Instruction) -> None:
    """`try_wait` may come back early, so it is the same as `test_wait`."""
    destination, address, state = i.operands[:3]
    by_parity = "parity" in i.modifiers
    site, where = object_site(e, i, address, "load")
    now = e.assign(f"m.load(a, {site}, {where})[0]")
    test = parity_over if by_parity else over
    earlier = e.use(state, "u32" if by_parity else "u64")
    e.write(destination, e.assign(f"{e.refer(test)}({now}, {earlier})"), "pred")


def arrive(e: Emitter, i: Instruction, address: Operand) -> None:
    """One arrival at the object that an address names."""
    site, where = object_site(e, i, address, "atomic")
    one = e.number(1, "int", DTYPE["u64"])
    e.line(f"m.device.atomic(a, {site}, {e.refer(arrived)}, {where}, {one})")


def arrive_for_copies(e: Emitter, i: Instruction) -> None:
    """`cp.async.mbarrier.arrive`: the copies are done already. Without `.noinc` the arrival was
    added to the pending ones just before, which leaves the object as it was."""
    if "noinc" in i.modifiers:
        _update(e, i, arrived, e.number(1, "int", DTYPE["u64"]))


def complete(e: Emitter, i: Instruction, address: Operand, size: str) -> None:
    """The end of a copy that an mbarrier was told to expect."""
    site, where = object_site(e, i, address, "atomic")
    wide = f"{size}.astype({e.dtype(DTYPE['u64'])})"
    e.line(f"m.device.atomic(a, {site}, {e.refer(completed)}, {where}, {wide})")
