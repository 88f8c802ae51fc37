"""Functions that launch kernels, called with arguments that are made up.

A library's module defines kernels and launches them from functions that others call. Tensors
without numbers (`stand_ins/tensors.py`) stand for what these would give: their shapes are invented
once, and grids, strides and sizes of tiles are computed by the module's own code, so that the
numbers of a launch go together.
"""

from __future__ import annotations

import inspect
import re
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from perflint.python_kernels.roles import Use, kernel_of, launches_in, uses_of
from perflint.python_kernels.stand_ins.tensors import DTYPES, DType, RankError, Size, Tensor
from perflint.python_kernels.stand_ins.torch_module import Context, Function

SECONDS = 60.0  #: CPU time of one call, compilations included
TRIES = 16  #: calls of one function until its arguments have the right number of dimensions
#: Shapes by the number of dimensions: the last is a row, as models have them.
SHAPES = {1: (4096,), 2: (2048, 4096), 3: (4, 512, 4096), 4: (4, 32, 512, 128),
          5: (2, 4, 8, 64, 128)}  # fmt: skip
EQUAL = 512  #: every extent, where a function wants extents to be the same
_UNPACKED = re.compile(r"values to unpack \(expected (?:at least )?(\d+)(?:, got (\d+))?")
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
    ranks: dict[str, int] = field(default_factory=dict)
    tensors: set[str] = field(default_factory=set)  #: what turned out to be one


def _worlds() -> Iterator[World]:
    """The usual one, and further ones for kernels that it does not come to."""
    yield World()
    yield World(optional=True)
    yield World(flags=True)
    yield World(word=1)
    yield World(row=1 << 17)
    yield World(row=128)
    yield World(word=2, optional=True)


class TurnedError(Exception):
    """A number that was made up is used as a tensor."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is a tensor")
        self.name = name


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


@dataclass(frozen=True)
class Failed:
    """A function that did not come to its launches."""

    name: str
    reason: str


class Caller:
    """Calls a module's functions and tells the recorder what was supposed."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.failures: list[Failed] = []

    def call_all(self, module: ModuleType, file: str) -> None:
        """All functions of a module that launch kernels, those of `autograd` first: they give the
        others what these want. Two worlds for each, and more for kernels that these do not reach.
        """
        classes, functions = list(_classes(module)), list(_functions(module, file))
        for number, world in enumerate(_worlds()):
            if number > 1 and all(_named(f) <= self.recorder.seen for _, f in functions):
                return
            self.failures.clear()
            for each in classes:
                self._both(each, replace(world))
            for name, function in functions:
                if _named(function) - self.recorder.seen:
                    self._call(name, function, replace(world))

    def _both(self, each: type, world: World) -> None:
        """`forward`, and `backward` with what it kept: again where that wants more dimensions."""
        wanted = self._once(each, world)
        if wanted and not world.rank:
            self._once(each, replace(world, rank=wanted))

    def _once(self, each: type, world: World) -> int:
        """How many dimensions `backward` wants gradients to have, where that is why it failed."""
        context = Context()
        given = self._call(f"{each.__name__}.forward", each.forward, world, context)  # type: ignore[attr-defined]
        backward = getattr(each, "backward", None)
        if given is None or backward is None:
            return 0
        outputs = given if isinstance(given, tuple) else (given,)
        gradients = [g if isinstance(g, Tensor) else None for g in outputs]
        count = len(inspect.signature(backward).parameters) - 1
        gradients = [*gradients, *[None] * count][: max(count, len(gradients))]
        with self.recorder.supposing(self._last):
            return self._run(f"{each.__name__}.backward", lambda: backward(context, *gradients))

    _last: tuple[str, ...] = ()

    def _call(self, name: str, function: Any, world: World, *first: Any) -> Any:
        """A function with made-up arguments, again until their shapes suit it."""
        uses = uses_of(inspect.unwrap(function))
        reason = ""
        for _ in range(TRIES):
            try:
                arguments = dict(_arguments(function, uses, world, len(first)))
            except (TypeError, ValueError):
                return None
            self._last = tuple(
                f"`{n}` is {v.dtype.name}[{', '.join(map(str, v.shape))}]"
                for n, v in arguments.items()
                if isinstance(v, Tensor)
            )
            Size.last = None
            try:
                with self.recorder.supposing(self._last), limited():
                    return _bound(function, first, arguments)
            except TurnedError as error:
                reason = str(error)
                if error.name in world.tensors:
                    break
                world.tensors.add(error.name)
            except RankError as error:
                reason = str(error)
                if not self._ranked(error.tensor, error.wanted, world):
                    break
            except TimeoutError as error:
                reason = str(error)
                break
            except Exception as error:
                reason = _said(error)
                owner = Size.last.owner if Size.last is not None else None
                if owner is not None and self._ranked(owner, _wanted(error, owner.ndim), world):
                    continue
                if world.equal:
                    break
                world.equal = True
        self.failures.append(Failed(name, reason))
        return None

    def _ranked(self, tensor: Tensor, wanted: int, world: World) -> bool:
        """Note that a made-up tensor has another number of dimensions; False if that is known."""
        known = world.ranks.get(tensor.made) == wanted
        if not tensor.made or known or not 0 < wanted <= max(SHAPES):
            return False
        world.ranks[tensor.made] = wanted
        return True

    def _run(self, name: str, call: Any) -> int:
        try:
            with limited():
                call()
        except Exception as error:
            reason = _said(error)
            self.failures.append(Failed(name, reason))
            wanted = _wanted(error, 0)
            return wanted if 1 < wanted <= max(SHAPES) else 0
        return 0


def _wanted(error: Exception, rank: int) -> int:
    """How many dimensions a shape must have whose extents, and others beside them, were too few or
    too many for names; 0 of other errors. Of too many nobody says how many there were.
    """
    said = _UNPACKED.search(str(error)) if isinstance(error, ValueError) else None
    if said is None:
        return 0
    if "too many" in str(error):
        return max(0, rank - 1)
    return rank + int(said[1]) - int(said[2] or 0) if rank else int(said[1])


@contextmanager
def limited() -> Iterator[None]:
    """Ends a call that is out of hand: loops over what is made up need not come to an end."""

    def end(number: int, frame: Any) -> None:
        raise TimeoutError(f"it took {SECONDS:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _bound(function: Any, first: tuple[Any, ...], arguments: Mapping[str, Any]) -> Any:
    """A call with each argument as its kind of parameter takes it."""
    positional = list(first)
    named = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in arguments:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = arguments[name]
        else:
            positional.append(arguments[name])
    return function(*positional, **named)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _named(function: Any) -> set[str]:
    """The names of the kernels that a function launches, below their tuners."""
    return {kernel_of(each).__name__ for each in launches_in(inspect.unwrap(function))}


def _classes(module: ModuleType) -> Iterator[type]:
    """The module's own functions of `autograd`."""
    for value in dict.fromkeys(v for v in vars(module).values() if isinstance(v, type)):
        own = issubclass(value, Function) and value.__module__ == module.__name__
        if own and "forward" in value.__dict__:
            yield value


def _functions(module: ModuleType, file: str) -> Iterator[tuple[str, Any]]:
    """The module's own functions that launch kernels."""
    for name, value in list(vars(module).items()):
        plain = inspect.unwrap(value) if inspect.isfunction(value) else None
        if plain is not None and plain.__code__.co_filename == file and launches_in(plain):
            yield name, value


def _arguments(
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
        left_out = default is None and tensor and world.optional
        flag = isinstance(default, bool) and world.flags
        if default is not parameter.empty and not left_out and not flag:
            yield parameter.name, default
        elif tensor:
            yield parameter.name, _tensor(parameter.name, use, world)
        else:
            yield parameter.name, _number(parameter, use, world)


def _annotated(parameter: inspect.Parameter) -> str:
    given = parameter.annotation
    return "" if given is parameter.empty else getattr(given, "__name__", str(given))


def _is_tensor(parameter: inspect.Parameter, use: Use) -> bool:
    given = _annotated(parameter)
    if given and given != "Any":
        return "Tensor" in given and "ist[" not in given and "uple[" not in given
    return use.tensor or (use.rank > 0 and not use.words)


def _tensor(name: str, use: Use, world: World) -> Tensor:
    shape: tuple[int, ...]
    by_row = _INDICES.search(name) or _ROWS.search(name)
    usual = 1 if by_row or _LONE.search(name) else 2
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
    return Tensor(shape, _type(name, rank), made=name)


def _type(name: str, rank: int) -> DType:
    """Numbers of models, unless the name says that elements are indices or flags.

    Targets that have rows are numbers, too.
    """
    if "mask" in name.lower():
        return DTYPES["bool"]
    if _INDICES.search(name) and not (rank > 1 and "target" in name.lower()):
        return DTYPES["int64" if _LONG.search(name) else "int32"]
    return DTYPES["bfloat16"]


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
    if "dtype" in name:
        return DTYPES["bfloat16"]
    if given == "bool" or (not given and (use.flag or _FLAG.match(name))):
        return world.flags
    if "float" in given or (not given and _REAL.search(name)):
        return 1e-6 if "eps" in name else 0.5
    if "None" in given or "Optional" in given:
        return None
    made = Made(64 if _EXTENT.search(name) else 8)
    made.name = name
    return made
