"""Loads whose value is known: what was just loaded from or stored to the same address.

A compiler removes them, and a finding about a load that does not happen would be false. Forward
data flow over available values (Aho et al., Compilers, 9.5): an address is the expression that
computes it, killed where a variable in it changes or where memory may.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from perflint.frontend.csubset.emission import Builder, Line

#: Larger kernels are left as they are.
_LINES = 6_000
_KEYS = 600
_DEPTH = 60

_ADDRESS = re.compile(r"\[([%$\w]+)(?:\+(-?\d+))?\]")
_MEMORY = re.compile(r"(ld|st)(?:\.(global|shared|local|const))?\.([usbf]\d+)")
#: What may write any memory, or lets other threads do so.
_CLOBBERS = ("bar", "membar", "atom", "vote", "shfl", "call")

Leaves = frozenset[str]


@dataclass(frozen=True)
class Key:
    """What a memory access touches: where, by the expression of its address, and as what."""

    space: str
    base: str  #: the address's expression
    offset: int
    type: str  #: `u32`, `f64`; integers unsigned

    @property
    def size(self) -> int:
        return int(self.type[1:]) // 8


@dataclass(frozen=True)
class _Effect:
    """What one line does to the available values."""

    kills: frozenset[int] = frozenset()
    makes: int | None = None


def without_redundant_loads(builder: Builder, lines: Sequence[Line]) -> list[Line]:
    """The same lines with loads of known values made moves."""
    if len(lines) > _LINES:
        return list(lines)
    accesses = _accesses(lines, builder.variables)
    keys = list(dict.fromkeys(key for key, _ in accesses.values()))
    if not keys or len(keys) > _KEYS:
        return list(lines)
    effects = _effects(lines, keys, accesses)
    available = _available(lines, effects)
    removed = {
        i: key
        for i, (key, _) in accesses.items()
        if lines[i].opcode.startswith("ld") and keys.index(key) in available[i]
    }
    return _rewritten(builder, lines, accesses, removed)


# --- addresses ------------------------------------------------------------------------------------


def _accesses(lines: Sequence[Line], variables: Collection[str]) -> dict[int, tuple[Key, Leaves]]:
    """By line: the key of a load or store, and the registers that its address depends on.

    Temporaries stand for what computes them; a variable of the program stands for itself, since
    what it was set from may have changed by the time it is used.
    """
    written: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        for register in line.results:
            written.setdefault(register, []).append(i)
    single = {r: lines[at[0]] for r, at in written.items() if len(at) == 1 and r not in variables}
    memo: dict[str, tuple[str, Leaves]] = {}
    found = {}
    for i, line in enumerate(lines):
        match = _MEMORY.fullmatch(line.opcode)
        if match is None or line.guard:
            continue
        operand = line.operands[1 if match[1] == "ld" else 0]
        address = _ADDRESS.fullmatch(operand)
        if address is None:
            continue
        text, leaves = _expression(address[1], single, memo, 0)
        kind = "u" + match[3][1:] if match[3][0] in "sb" else match[3]
        found[i] = (Key(match[2] or "generic", text, int(address[2] or 0), kind), leaves)
    return found


def _expression(
    register: str, single: Mapping[str, Line], memo: dict[str, tuple[str, Leaves]], depth: int
) -> tuple[str, Leaves]:
    """A register as an expression over variables, and those variables."""
    if register in memo:
        return memo[register]
    line = single.get(register)
    if not register.startswith("%"):
        result: tuple[str, Leaves] = (register, frozenset())
    elif line is None or not _expands(line) or depth > _DEPTH:
        result = (register, frozenset((register,)))
    else:
        parts = [_expression(o, single, memo, depth + 1) for o in line.operands[1:]]
        text = f"{line.opcode}({','.join(t for t, _ in parts)})"
        result = (text, frozenset().union(*(found for _, found in parts)))
    memo[register] = result
    return result


def _expands(line: Line) -> bool:
    """Whether a temporary's definition may stand for it wherever it is used.

    One that copies a variable may not: the copy keeps the old value.
    """
    if line.keep or line.opcode.startswith(("ld", "mov")):
        return line.opcode.startswith(("ld.param", "mov.u64")) and "%" not in line.operands[1]
    return len(line.results) == 1


# --- data flow ------------------------------------------------------------------------------------


def _effects(
    lines: Sequence[Line], keys: Sequence[Key], accesses: Mapping[int, tuple[Key, Leaves]]
) -> list[_Effect]:
    index = {key: i for i, key in enumerate(keys)}
    depends: dict[str, set[int]] = {}
    for key, leaves in accesses.values():
        for leaf in leaves:
            depends.setdefault(leaf, set()).add(index[key])
    everything = frozenset(i for i, key in enumerate(keys) if key.space != "const")
    effects = []
    for at, line in enumerate(lines):
        kills: set[int] = set()
        for register in line.results:
            kills |= depends.get(register, set())
        makes = None
        if at in accesses:
            key = accesses[at][0]
            if line.opcode.startswith("st"):
                kills |= {i for i, other in enumerate(keys) if _may_alias(key, other)}
            # A narrow store cuts its value; the register does not hold what a load would give.
            if line.opcode.startswith("ld") or key.size >= 4:
                makes = index[key]
                own = set(line.results) & accesses[at][1]
                makes = None if own else makes
        elif line.opcode.startswith(("st", *_CLOBBERS)):
            kills |= everything
        effects.append(_Effect(frozenset(kills), makes))
    return effects


def _may_alias(store: Key, other: Key) -> bool:
    if store == other or other.space == "const":
        return store == other
    if store.space != other.space:
        return "generic" in (store.space, other.space)
    if store.base == other.base:
        apart = store.offset + store.size <= other.offset
        return not (apart or other.offset + other.size <= store.offset)
    one, two = _variable(store.base), _variable(other.base)
    return one is None or two is None or one == two


def _variable(base: str) -> str | None:
    """The variable in memory that an address lies in: different ones are apart."""
    symbols = set(re.findall(r"_ZZ\w+", base))
    return symbols.pop() if len(symbols) == 1 else None


def _available(lines: Sequence[Line], effects: Sequence[_Effect]) -> list[frozenset[int]]:
    """By line: the keys whose values are known before it, on every path."""
    labels = {line.operands[0]: i for i, line in enumerate(lines) if not line.opcode}
    predecessors: list[list[int]] = [[] for _ in range(len(lines) + 1)]
    for i, line in enumerate(lines):
        if line.opcode == "bra":
            predecessors[labels[line.operands[0]]].append(i)
        if not (line.opcode in ("bra", "ret", "trap") and not line.guard):
            predecessors[i + 1].append(i)
    after: list[frozenset[int] | None] = [None] * len(lines)  # None: not reached yet
    before: list[frozenset[int]] = [frozenset()] * len(lines)
    changed = True
    while changed:
        changed = False
        for i, effect in enumerate(effects):
            known = [after[p] for p in predecessors[i]]
            reached = [k for k in known if k is not None]
            if i == 0:
                state: frozenset[int] = frozenset()
            elif reached:
                state = frozenset.intersection(*reached)
            else:
                continue
            before[i] = state
            out = state - effect.kills if effect.kills else state
            if effect.makes is not None and effect.makes not in out:
                out = out | {effect.makes}
            if out != after[i]:
                after[i] = out
                changed = True
    return before


def _rewritten(
    builder: Builder,
    lines: Sequence[Line],
    accesses: Mapping[int, tuple[Key, Leaves]],
    removed: Mapping[int, Key],
) -> list[Line]:
    """Loads in `removed` read a register that every access of the same key leaves its value in."""
    shadows = {key: builder.register(_class(key)) for key in dict.fromkeys(removed.values())}
    out: list[Line] = []
    for i, line in enumerate(lines):
        key = accesses[i][0] if i in accesses else None
        if i in removed:
            out.append(_move(line, line.results[0], shadows[removed[i]]))
            continue
        out.append(line)
        if key in shadows and (line.results or key.size >= 4):
            value = line.results[0] if line.results else line.operands[1]
            out.append(_move(line, shadows[key], value))
    return out


def _class(key: Key) -> str:
    if key.type[0] == "f":
        return "f" if key.size == 4 else "fd"
    return "rd" if key.size == 8 else "r"


def _move(line: Line, target: str, source: str) -> Line:
    suffix = {"r": "u32", "rd": "u64", "f": "f32", "fd": "f64"}
    kind = target[1:].rstrip("0123456789")
    return replace(
        line,
        opcode=f"mov.{suffix[kind]}",
        operands=(target, source),
        results=(target,),
        keep=False,
    )
