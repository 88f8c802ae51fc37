"""PTX instructions of one kernel as they are made, and their text in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.tokens import Token

_REGISTER = pattern(r"%(?:rd|fd|r|f|p)\d+\b")
#: The types of registers by their classes.
CLASSES = {"r": "b32", "rd": "b64", "f": "f32", "fd": "f64", "p": "pred"}
#: An operand, and its number if that is known.
Known = tuple[str, "int | float | None"]
#: Where control comes from: the places of the calls that a statement was inlined through,
#: innermost first, each with the name of the function it calls.
Chain = tuple[tuple[Token, str], ...]


@dataclass(slots=True)
class Line:
    """An instruction or a label."""

    opcode: str  #: "" for a label
    operands: tuple[str, ...]
    results: tuple[str, ...] = ()  #: registers written
    guard: str = ""
    keep: bool = True  #: False: nothing but its result matters
    place: Token | None = None
    chain: Chain = ()

    def reads(self) -> Iterator[str]:
        """The registers it reads."""
        written = 1 if self.results else 0
        for operand in self.operands[written:]:
            yield from _REGISTER.findall(operand)
        if self.guard:
            yield self.guard.lstrip("@!")


@dataclass
class Builder:
    """Collects the instructions of one kernel."""

    lines: list[Line] = field(default_factory=list)
    entry: list[Line] = field(default_factory=list)  #: what comes before everything else
    place: Token | None = None
    chain: Chain = ()
    products: dict[str, tuple[str, str]] = field(default_factory=dict)  #: of floats: the factors
    widened: dict[str, str] = field(default_factory=dict)  #: doubles: the floats they were
    #: doubles that one operator made: it, and its operands with their numbers where known
    doubles: dict[str, tuple[str, Known, Known]] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _labels: int = 0
    _special: dict[str, str] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)  #: registers that were assigned to

    def register(self, kind: str) -> str:
        """A new register of a class: r, rd, f, fd or p."""
        self._counts[kind] += 1
        return f"%{kind}{self._counts[kind]}"

    def emit(self, opcode: str, kind: str, *operands: str) -> str:
        """An instruction without side effects; its result in a new register."""
        result = self.register(kind)
        self._add(Line(opcode, (result, *operands), (result,), keep=False))
        return result

    def emit_parts(self, opcode: str, kind: str, count: int, *operands: str) -> tuple[str, ...]:
        """An instruction with a vector of results."""
        results = tuple(self.register(kind) for _ in range(count))
        vector = "{" + ", ".join(results) + "}"
        self._add(Line(opcode, (vector, *operands), results, keep=False))
        return results

    def put(self, opcode: str, *operands: str, result: str = "") -> None:
        """An instruction that must stay; `result` is its first operand, if it has one."""
        written = (result,) if result else ()
        self._add(Line(opcode, (*written, *operands), written))

    def move(self, target: str, source: str) -> None:
        """A variable is given a value. What was just computed is computed into it."""
        last = self.lines[-1] if self.lines else None
        is_fresh = last is not None and not last.keep and last.results == (source,)
        is_variable = source in self.variables
        self.variables.add(target)
        if last is not None and is_fresh and not is_variable:
            last.operands = (target, *last.operands[1:])
            last.results = (target,)
            for known in (self.products, self.doubles, self.widened):
                known.pop(source, None)
            return
        self._add(Line(copy_opcode(class_of(target)), (target, source), (target,), keep=False))

    def special(self, name: str) -> str:
        """A special register, read once at the kernel's entry."""
        if name not in self._special:
            register = self.register("r")
            self._special[name] = register
            self.entry.append(Line("mov.u32", (register, name), (register,), keep=False))
        return self._special[name]

    def label(self) -> str:
        """A new label, not yet placed."""
        self._labels += 1
        return f"$L__BB_{self._labels}"

    def set_label(self, label: str) -> None:
        """The label stands here."""
        self._add(Line("", (label,)))

    def branch(self, label: str, predicate: str = "", negated: bool = False) -> None:
        """Go to a label, always or if a predicate holds (or does not)."""
        guard = f"@{'!' if negated else ''}{predicate}" if predicate else ""
        self._add(Line("bra", (label,), guard=guard))

    def _add(self, line: Line) -> None:
        line.place, line.chain = self.place, self.chain
        self.lines.append(line)

    def finished(
        self, improve: Callable[[Builder, list[Line]], list[Line]] | None = None
    ) -> list[Line]:
        """All lines, without what nobody reads and branches to the next line; `improve` them."""
        lines = _without_dead(_without_idle_branches([*self.entry, *self.lines]))
        return lines if improve is None else _without_dead(improve(self, lines))

    def declarations(self) -> Iterator[str]:
        """The `.reg` directives."""
        for kind, count in sorted(self._counts.items()):
            yield f".reg .{CLASSES[kind]} %{kind}<{count + 1}>;"


def copy_opcode(kind: str) -> str:
    """The instruction that copies registers of a class."""
    return f"mov.{CLASSES[kind].replace('b', 'u')}"


def class_of(register: str) -> str:
    """The class of a register: r, rd, f, fd or p."""
    return register[1:].rstrip("0123456789")


def _without_idle_branches(lines: Sequence[Line]) -> list[Line]:
    """Without branches to what comes next, and what comes behind a branch and has no label."""
    out: list[Line] = []
    unreachable = False
    for line in lines:
        if not line.opcode:
            unreachable = False
        elif unreachable:
            continue
        unreachable = unreachable or (line.opcode in ("bra", "ret") and not line.guard)
        out.append(line)
    kept: list[Line] = []
    following: set[str] = set()
    for line in reversed(out):
        if line.opcode == "bra" and line.operands[0] in following:
            continue
        following = set() if line.opcode else {*following, line.operands[0]}
        kept.append(line)
    return kept[::-1]


def _without_dead(lines: Sequence[Line]) -> list[Line]:
    """Without the instructions whose results nobody needs, and labels that nobody branches to."""
    writers: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        for register in line.results:
            writers.setdefault(register, []).append(index)
    needed = {i for i, line in enumerate(lines) if line.keep}
    waiting = list(needed)
    while waiting:
        for register in lines[waiting.pop()].reads():
            for index in writers.get(register, ()):
                if index not in needed:
                    needed.add(index)
                    waiting.append(index)
    targets = {line.operands[0] for line in lines if line.opcode == "bra"}
    return [
        line
        for i, line in enumerate(lines)
        if i in needed and (line.opcode or line.operands[0] in targets)
    ]
