"""Computing once what is the same: within a block, and before a loop instead of inside it.

Findings do not need it. It halves what a simulation must run, and brings what runs closer to what
a compiler makes of the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from perflint.frontend.csubset.emission import Builder, Line

_REGISTER = re.compile(r"%(?:rd|fd|r|f|p)\d+\b")
#: Loops that are looked at in one kernel.
_LOOPS = 100
#: Larger kernels are left as they are: they are unrolled by hand, or by macros.
_LINES = 10_000


def computed_once(builder: Builder, lines: Sequence[Line]) -> list[Line]:
    """The same lines, common subexpressions shared and loop invariants moved out of loops."""
    if len(lines) > _LINES:
        return list(lines)
    temporaries = _temporaries(lines, builder.variables)
    return _hoisted(_shared(lines, temporaries), temporaries)


def _temporaries(lines: Sequence[Line], variables: Collection[str]) -> frozenset[str]:
    """Registers that are written once, by something without effect that reads no memory."""
    counts = Counter(register for line in lines for register in line.results)
    return frozenset(
        line.results[0]
        for line in lines
        if len(line.results) == 1
        and counts[line.results[0]] == 1
        and line.results[0] not in variables
        and not line.keep
        and not line.guard
        and (not line.opcode.startswith(("ld", "tex")) or line.opcode.startswith("ld.param"))
    )


# --- within a block -------------------------------------------------------------------------------


def _shared(lines: Sequence[Line], temporaries: Collection[str]) -> list[Line]:
    known: dict[tuple[str, ...], str] = {}  #: what is computed → the register that holds it
    users: dict[str, set[tuple[str, ...]]] = {}  #: register → what depends on it
    same: dict[str, str] = {}  #: a register left out → the one that has its value
    out = []
    for line in lines:
        if not line.opcode:
            known.clear()
            users.clear()
        line = _renamed(line, same)
        for register in line.results:
            for key in users.pop(register, ()):
                known.pop(key, None)
        if len(line.results) == 1 and line.results[0] in temporaries:
            key = (line.opcode, *line.operands[1:])
            if key in known:
                same[line.results[0]] = known[key]
                continue
            known[key] = line.results[0]
            for operand in line.operands[1:]:
                for register in _REGISTER.findall(operand):
                    users.setdefault(register, set()).add(key)
        out.append(line)
    return out


def _renamed(line: Line, same: Mapping[str, str]) -> Line:
    """The line with other registers in place of those that were left out."""
    if not same or not any(register in same for register in line.reads()):
        return line

    def other(match: re.Match[str]) -> str:
        return same.get(match[0], match[0])

    first = line.operands[: 1 if line.results else 0]
    rest = (_REGISTER.sub(other, operand) for operand in line.operands[len(first) :])
    return replace(line, operands=(*first, *rest), guard=_REGISTER.sub(other, line.guard))


# --- out of loops ---------------------------------------------------------------------------------


def _hoisted(lines: list[Line], temporaries: Collection[str]) -> list[Line]:
    done: set[str] = set()
    for _ in range(_LOOPS):
        loop = next((found for found in _loops(lines) if found[0] not in done), None)
        if loop is None:
            break
        label, start, end = loop
        done.add(label)
        lines = _without_invariants(lines, start, end, temporaries)
    return lines


def _loops(lines: Sequence[Line]) -> Iterator[tuple[str, int, int]]:
    """Inner loops first: label, index of the label, index of the last branch back to it."""
    labels = {line.operands[0]: i for i, line in enumerate(lines) if not line.opcode}
    ends: dict[str, int] = {}
    entries: dict[str, list[int]] = {}
    for i, line in enumerate(lines):
        if line.opcode == "bra":
            target = line.operands[0]
            entries.setdefault(target, []).append(i)
            if labels[target] <= i:
                ends[target] = i
    found = [(label, labels[label], end) for label, end in ends.items()]
    for label, start, end in sorted(found, key=lambda loop: loop[2] - loop[1]):
        inside = [line.operands[0] for line in lines[start : end + 1] if not line.opcode]
        sources = (i for target in inside for i in entries.get(target, ()))
        if all(start <= i <= end for i in sources):  # it is only entered at its top
            yield label, start, end


def _without_invariants(
    lines: list[Line], start: int, end: int, temporaries: Collection[str]
) -> list[Line]:
    """What a loop computes from values that it does not change, moved before its label."""
    changed = {register for line in lines[start : end + 1] for register in line.results}
    moved: list[Line] = []
    stays: list[Line] = []
    for line in lines[start : end + 1]:
        result = line.results[0] if len(line.results) == 1 else ""
        if result in temporaries and not any(r in changed for r in line.reads()):
            moved.append(line)
            changed.discard(result)
        else:
            stays.append(line)
    if not moved:
        return lines
    return [*lines[:start], *moved, *stays, *lines[end + 1 :]]
