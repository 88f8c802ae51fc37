"""Arguments that are made up for functions that launch kernels: a world's tensors and numbers.

A tensor's shape, a flag or a number is invented once a world; what the functions compute of it is
theirs. Names and uses say what an argument is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from perflint.python_kernels.roles import Use
from perflint.python_kernels.stand_ins.tensors import DTYPES, DType, Tensor

SHORT = 128  #: elements of a row that a tile holds whole, beside others
#: Shapes by the number of dimensions: the last is a row, as models have them.
SHAPES = {1: (4096,), 2: (2048, 4096), 3: (4, 512, 4096), 4: (4, 32, 512, 128),
          5: (2, 4, 8, 64, 128)}  # fmt: skip
EQUAL = 128  #: every extent, where a function wants extents to be the same
_INDICES = re.compile(
    r"(^|_)(idx|index|indices|ids?|targets?|labels?|lens?|lengths?|seqlens?|offsets?|table|slots?"
    r"|positions?|perm|experts?|tokens?|map)(_|\d|$)",
    re.IGNORECASE,
)
_LONG = re.compile(r"(^|_)(ids?|targets?|labels?|positions?)(_|\d|$)", re.IGNORECASE)
_REAL = re.compile(
    r"(^|_)(eps|epsilon|scale|scaling|alpha|beta|gamma|lr|p|dropout|temperature|temp|softcap|cap"
    r"|momentum|weight_decay|factor|ratio|smoothing|threshold|theta|base|limit)(_|\d|$)",
    re.IGNORECASE,
)
_FLAG = re.compile(r"^(is|use|has|with|return|inplace|in_place|causal|reverse|do|no|enable)(_|$)")
_LONE = re.compile(r"(^|_)(weights?|w|bias|b|gamma|beta)(_|\d|$)", re.IGNORECASE)
#: What has a number for each row.
_ROWS = re.compile(r"(^|_)(r?std|rms|mean|var|lse|loss(es)?|stats)(_|\d|$)", re.IGNORECASE)
_SEVERAL = re.compile(r"(List|Sequence|Iterable)\[[\w.]*Tensor\]", re.IGNORECASE)
_EXTENT = re.compile(r"(size|chunk|block|len|dim)", re.IGNORECASE)


@dataclass
class World:
    """How arguments are made up."""

    optional: bool = False  #: tensors that may be left out are given
    flags: bool = False  #: what is a condition holds
    word: int = 0  #: which of the texts that an argument is compared with
    rank: int = 0  #: dimensions of tensors of which nothing says it
    row: int = 0  #: elements of a row; 0: as `SHAPES` has them
    equal: bool = False  #: all extents are the same
    lone: bool = False  #: of what only the first extent is asked has one dimension
    real: str = "bfloat16"  #: the type of what a model computes with
    tensors: set[str] = field(default_factory=set)  #: what turned out to be one
    ranks: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)  #: what checks want
    types: dict[str, DType] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    given: dict[str, bool] = field(default_factory=dict)  #: what may not be left out

    def again(self) -> World:
        """The same, for another function's arguments."""
        return replace(self, tensors=set(), ranks={}, shapes={}, types={}, values={}, given={})


def worlds() -> Iterator[World]:
    """The usual one, and further ones for kernels that it does not come to."""
    yield World()
    yield World(optional=True)
    yield World(flags=True)
    yield World(real="float16")
    yield World(word=1)
    yield World(row=1 << 17)
    yield World(row=SHORT)
    yield World(word=2, optional=True)
    yield World(real="float32")


class TurnedError(Exception):
    """A number that was made up is used as a tensor."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is a tensor")
        self.name = name


class TileError(Exception):
    """A kernel is to work on a tile that no multiprocessor can hold: the row it was made for is too
    long.
    """


class Made(int):
    """A number that was made up for an argument: it tells who takes it for a tensor."""

    name: str

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise TurnedError(self.name)

    def __getitem__(self, key: Any) -> Any:
        raise TurnedError(self.name)

    def __iter__(self) -> Any:
        raise TurnedError(self.name)


def arguments_of(
    function: Any, uses: Mapping[str, Use], world: World, skipped: int
) -> Iterator[tuple[str, Any]]:
    """A value for each parameter that a function needs or that the world gives it."""
    parameters = list(inspect.signature(function).parameters.values())[skipped:]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        use = uses.get(parameter.name, Use())
        tensor = parameter.name in world.tensors or _is_tensor(parameter, use)
        default = parameter.default
        if parameter.name in world.values:
            yield parameter.name, world.values[parameter.name]
            continue
        wanted = world.optional or parameter.name in world.given
        left_out = default is None and tensor and wanted
        flag = isinstance(default, bool) and world.flags
        if default is not parameter.empty and not left_out and not flag:
            yield parameter.name, default
        elif _SEVERAL.search(_annotated(parameter)):
            yield parameter.name, [_tensor(parameter.name, use, world) for _ in range(2)]
        elif tensor:
            yield parameter.name, _tensor(parameter.name, use, world)
        else:
            yield parameter.name, _number(parameter, use, world)


def _annotated(parameter: inspect.Parameter) -> str:
    given = parameter.annotation
    if isinstance(given, type):
        return "" if given is parameter.empty else given.__name__
    return str(given)  # `Optional[torch.Tensor]` has the name `Optional`


def _is_tensor(parameter: inspect.Parameter, use: Use) -> bool:
    given = _annotated(parameter)
    if given and given != "Any":
        return "Tensor" in given and "ist[" not in given and "uple[" not in given
    return use.tensor or (use.rank > 0 and not use.words)


def _tensor(name: str, use: Use, world: World) -> Tensor:
    shape: tuple[int, ...]
    by_row = _INDICES.search(name) or _ROWS.search(name)
    usual = 1 if by_row or _LONE.search(name) or (world.lone and is_guessed(use)) else 2
    least = use.rank if use.exact else max(use.rank, usual)
    if world.rank and least > 1 and not use.exact:
        least = max(least, world.rank)
    known = world.ranks.get(name) or least
    rank = min(max(1, known), max(SHAPES))
    shape = (EQUAL,) * rank if world.equal else SHAPES[rank]
    if world.row and rank > 1:
        shape = (*shape[:-1], world.row)
    if rank == 1 and by_row and not world.equal:
        shape = SHAPES[2][:1]
    shape = world.shapes.get(name, shape)
    return Tensor(shape, world.types.get(name, _type(name, use, len(shape), world.real)), made=name)


def is_guessed(use: Use) -> bool:
    """Whether a tensor has rows only because most tensors have: no more than its first extent, or
    its first stride, is asked for.
    """
    return use.rank == 1 and not use.exact


def _type(name: str, use: Use, rank: int, real: str) -> DType:
    """Numbers of models, unless a kernel takes elements for integers, or the name says that they
    are indices or flags.

    Targets that have rows are numbers, too.
    """
    if "mask" in name.lower():
        return DTYPES["bool"]
    if use.integers:
        return DTYPES["int64" if _LONG.search(name) else "int32"]
    if _INDICES.search(name) and not (rank > 1 and "target" in name.lower()):
        return DTYPES["int64" if _LONG.search(name) else "int32"]
    return DTYPES[real]


def _number(parameter: inspect.Parameter, use: Use, world: World) -> Any:
    given, name = _annotated(parameter), parameter.name
    if use.words:
        return use.words[min(world.word, len(use.words) - 1)]
    if isinstance(parameter.default, bool):
        return not parameter.default
    if name in ("dim", "axis"):
        return -1
    if name.endswith("group"):
        return None  # of processes
    if name.endswith("shape") or (name in ("size", "sizes") and "int" not in given.split("[")[0]):
        return SHAPES[2][1:] if "normal" in name else SHAPES[2]
    if "dtype" in name:
        return DTYPES[world.real]
    if given == "bool" or (not given and (use.flag or _FLAG.match(name))):
        return world.flags
    if "float" in given or (not given and _REAL.search(name)):
        return 1e-6 if "eps" in name else 0.5
    if "None" in given or "Optional" in given:
        return None
    made = Made(64 if _EXTENT.search(name) else 8)
    made.name = name
    return made
