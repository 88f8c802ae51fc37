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
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from perflint.python_kernels.checks import wishes
from perflint.python_kernels.kernel_syntax import kernel_of, name_of
from perflint.python_kernels.made_arguments import (
    SHAPES,
    SHORT,
    TileError,
    TurnedError,
    World,
    arguments_of,
    is_guessed,
    worlds,
)
from perflint.python_kernels.roles import launches_in, uses_of
from perflint.python_kernels.stand_ins.tensors import RankError, ShapeError, Size, Tensor
from perflint.python_kernels.stand_ins.torch_module import Context, Function
from perflint.python_kernels.tuner import SharedMemoryError

SECONDS = 60.0  #: CPU time of one call, compilations included
TRIES = 32  #: calls of one function until its arguments have the right number of dimensions
_UNPACKED = re.compile(r"values to unpack \(expected (?:at least )?(\d+)(?:, got (\d+))?")


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
        for number, world in enumerate(worlds()):
            methods = {each: _own_kernels(each) for each in classes}
            wanted = set().union(*methods.values(), *(_named(f) for _, f in functions))
            if number > 1 and wanted <= self.recorder.done_with:
                return
            self.failures.clear()
            for each in classes:
                if number < 2 or methods[each] - self.recorder.done_with:
                    self._both(each, world.again())
            for name, function in functions:
                if _named(function) - self.recorder.done_with:
                    self._call(name, function, world.again())
                    if number == 0 and _has_guessed(function):
                        self._call(name, function, replace(world.again(), lone=True))

    def _both(self, each: type, world: World) -> None:
        """`forward`, and `backward` with what it kept: again where that wants more dimensions."""
        wanted = self._once(each, world)
        if wanted and not world.rank:
            self._once(each, replace(world.again(), rank=wanted))

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
                arguments = dict(arguments_of(function, uses, world, len(first)))
            except (TypeError, ValueError, RuntimeError):
                return None
            self._last = tuple(_told(arguments))
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
            except ShapeError as error:
                reason = str(error)
                if not _granted({("shapes", error.tensor.made): error.wanted}, world):
                    break
            except (TileError, SharedMemoryError) as error:
                reason = str(error)
                if world.row == SHORT:
                    break
                world.row = SHORT
                world.shapes.clear()
            except TimeoutError as error:
                reason = str(error)
                break
            except Exception as error:
                reason = _said(error)
                if _granted(wishes(error), world):
                    continue
                owner = Size.last.owner if Size.last is not None else None
                if owner is not None and self._ranked(owner, _wanted(error, owner.ndim), world):
                    continue
                if world.equal:
                    break
                world.equal = True
                world.shapes.clear()
        self.failures.append(Failed(name, reason))
        return None

    def _ranked(self, tensor: Tensor, wanted: int, world: World) -> bool:
        """Note that a made-up tensor has another number of dimensions; False if that is known."""
        name = tensor.rank_of
        known = world.ranks.get(name) == wanted
        if not name or known or not 0 < wanted <= max(SHAPES):
            return False
        world.ranks[name] = wanted
        world.shapes.pop(name, None)
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


def _granted(wanted: Mapping[tuple[str, str], Any], world: World) -> bool:
    """Note what made-up arguments are to be; False if nothing of it is new."""
    new = False
    for (kind, name), what in wanted.items():
        known = getattr(world, kind)
        new |= bool(name) and (name not in known or known[name] != what)
        known[name] = what
    return new


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
    return {name_of(kernel_of(each)) for each in launches_in(inspect.unwrap(function))}


def _told(arguments: Mapping[str, Any]) -> Iterator[str]:
    """What is made up, for people: `x` is bfloat16[4, 512]."""
    for name, value in arguments.items():
        several = isinstance(value, list)
        one = value[0] if several else value
        if isinstance(one, Tensor):
            shape = ", ".join(map(str, one.shape))
            yield f"`{name}` {'are' if several else 'is'} {one.dtype.name}[{shape}]"


def _own_kernels(each: type) -> set[str]:
    """The kernels that a function of `autograd` launches itself."""
    methods = (getattr(each, name, None) for name in ("forward", "backward"))
    return set().union(*(_named(m) for m in methods if inspect.isfunction(m)))


def _has_guessed(function: Any) -> bool:
    """Whether a function has tensors of which nothing says that they have rows."""
    return any(use.tensor and is_guessed(use) for use in uses_of(inspect.unwrap(function)).values())


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
