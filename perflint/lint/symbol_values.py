"""What a module's `__constant__` and `__device__` variables hold when its kernels are launched.

What the host code copies to them, where that folds, else a number as invented as an argument's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.analysis.variable_names import variable_name
from perflint.base.records import dataclass
from perflint.frontend.source.language.model import SourceFacts, SymbolValue
from perflint.frontend.source.project.neighbours import related
from perflint.grammar.model import TYPE_SIZE, Immediate, Module, Symbol, Variable
from perflint.sim.launch import SymbolBytes
from perflint.sim.layout import initial_bytes, mentioned

#: What is copied to each variable, by its PTX name.
Symbols = Mapping[str, tuple[SymbolValue, ...]]

#: As much as constant memory holds: larger variables are data.
_LARGEST = 65_536


@dataclass(frozen=True, eq=False)
class _Image:
    """A variable's bytes, (size,) each."""

    data: np.ndarray  #: uint8
    told: np.ndarray  #: bool: the source says what they are
    copied: np.ndarray  #: bool: the host copies something there


def symbols_of(
    module: Module, own: Iterable[SourceFacts], others: Iterable[SourceFacts] = ()
) -> Symbols:
    """What is copied to each variable of a module, by its PTX name; () where none is in sight.

    `own` are the files that the module was compiled from. For a variable that none of them copies
    to, the `others` of the same program count.
    """
    found: dict[str, tuple[SymbolValue, ...]] = {}
    own = tuple(own)
    near = own[0].path if own else None
    outer = tuple(f for f in others if near is not None and related(f.path, near))
    variables = [v for v in module.variables.values() if v.space in ("const", "global")]
    for variable in variables:
        for files in (own, outer):
            mine = tuple(s for f in files for s in f.symbols if _names(s, variable, variables))
            if mine:
                found[variable.name] = mine
                break
    return found


def _names(symbol: SymbolValue, variable: Variable, all_: Sequence[Variable]) -> bool:
    """Whether a name in host code means a variable of the module."""
    *_, last = path = symbol.name.split("::")
    if variable_name(variable.name) != last or variable.name.startswith("_ZZ"):
        return False
    namesakes = [v for v in all_ if variable_name(v.name) == last]
    return len(namesakes) == 1 or all(f"{len(p)}{p}" in variable.name for p in path)


def with_values(module: Module, symbols: Symbols) -> Module:
    """The module with what the host copies as the initialisers of its variables, where all is told.

    So a launch finds it, and the analysis knows that nobody else has written there.
    """
    changed = {}
    for name, copied in symbols.items():
        variable = module.variables.get(name)
        image = variable and _image(variable, copied)
        if variable and image and image.told.all():
            changed[name] = replace(variable, initialiser=_initialiser(variable, image.data))
    return replace(module, variables={**module.variables, **changed}) if changed else module


def launch_symbols(facts: KernelFacts, symbols: Symbols, size: int) -> tuple[SymbolBytes, ...]:
    """What a launch finds in the variables of which not all is told.

    A single integer that nobody tells is `size`, as those of the arguments are, and a flag is 1.
    Of a struct or an array what is told, and the fill for the rest.
    """
    out: list[SymbolBytes] = []
    for name in sorted(mentioned(facts.kernel) & facts.module.variables.keys()):
        variable = facts.module.variables[name]
        image = _image(variable, symbols.get(name, ()))
        if variable.space not in ("const", "global") or image is None or image.told.all():
            continue
        told = [*_runs(image.told & image.copied)]
        out += (SymbolBytes(name, a, image.data[a:b].tobytes()) for a, b in told)
        if not (variable.dimensions or told or variable.vector > 1) and variable.type[0] in "usb":
            width = variable.size
            number = 1 if width == 1 else min(size, (1 << (8 * width - 1)) - 1)
            out.append(SymbolBytes(name, 0, number.to_bytes(width, "little"), told=False))
    return tuple(out)


def _runs(mask: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where a mask (n,) holds: the start and the end of each stretch."""
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    yield from ((int(a), int(b)) for a, b in edges.reshape(-1, 2))


def _image(variable: Variable, copied: Sequence[SymbolValue]) -> _Image | None:
    """A variable's bytes after the copies; None for one that is too large or holds addresses.

    Told is what all copies that reach a byte agree on, else what its initialiser says. A single
    `.global` number is 0 before the first copy.
    """
    size, initial = variable.size, variable.initialiser
    if not 0 < size <= _LARGEST or any(isinstance(item, Symbol) for item in initial or ()):
        return None
    own = initial_bytes(variable, {}, {})
    is_zero = variable.space == "global" and size <= 8 and not copied
    data = np.zeros(size, np.uint8) if own is None else own[:size]
    told = np.full(size, own is not None or is_zero, bool)
    if not copied:
        return _Image(data, told, np.zeros(size, bool))
    reached = np.stack([_reached(symbol, size) for symbol in copied])
    values, known = map(np.stack, zip(*(_bytes(symbol, size) for symbol in copied), strict=True))
    known &= reached
    value = np.where(known, values, 0).max(axis=0)  # the one that they agree on, if they do
    copied_to = np.any(reached, axis=0)
    agreed = copied_to & (~reached | (known & (values == value))).all(axis=0)
    return _Image(np.where(agreed, value, data), np.logical_or(told, agreed), copied_to)


def _reached(symbol: SymbolValue, size: int) -> np.ndarray:
    """Which bytes of a variable a copy may write."""
    out = np.zeros(size, bool)
    start = symbol.offset or 0
    end = size if symbol.size is None or symbol.offset is None else start + symbol.size
    out[start:end] = True
    return out


def _bytes(symbol: SymbolValue, size: int) -> tuple[np.ndarray, np.ndarray]:
    """What a copy is known to write: bytes (size,) uint8, and which of them are known."""
    data, known = np.zeros(size, np.uint8), np.zeros(size, bool)
    for value in symbol.values:
        end = value.offset + value.size
        if end <= size:
            data[value.offset : end] = np.frombuffer(value.data, np.uint8)
            known[value.offset : end] = True
    return data, known


def _initialiser(variable: Variable, data: np.ndarray) -> tuple[Immediate, ...]:
    """Bytes as a variable's type has them."""
    step = TYPE_SIZE[variable.type]
    kind = {"f32": "f32", "f64": "f64"}.get(variable.type, "int")
    pieces = data.tobytes()
    numbers = (pieces[at : at + step] for at in range(0, len(pieces), step))
    return tuple(Immediate(int.from_bytes(n, "little"), kind) for n in numbers)  # type: ignore[arg-type]
