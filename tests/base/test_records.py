"""Data classes that are made when they are first made use of are those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from threading import Barrier, Thread
from typing import Any

import pytest

import perflint
from perflint.base import records

DECORATORS = (dataclasses.dataclass, records.dataclass)


def _classes(dataclass: Any) -> tuple[type[Any], ...]:
    @dataclass(frozen=True)
    class Point:
        x: int
        y: tuple[int, ...] = field(default=(), compare=False)
        z: int = field(default=4, repr=False)
        w: list[int] = field(default_factory=list, compare=False)

        @cached_property
        def twice(self) -> int:
            return 2 * self.x

    @dataclass(frozen=True)
    class Named(Point):
        name: str = "?"

    @dataclass
    class Open:
        x: int

    @dataclass(eq=False)
    class Counted(Open):
        def __post_init__(self) -> None:
            self.x += 1

    @dataclass(frozen=True)
    class Loose:
        text: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loose) and self.text.lower() == other.text.lower()

    return Point, Named, Open, Counted, Loose


def _slotted(dataclass: Any) -> tuple[type[Any], ...]:
    @dataclass(frozen=True, slots=True)
    class Flat:
        x: int
        y: list[int] = field(default_factory=list)
        z: list[int] = field(default_factory=list, init=False, repr=False)
        w: int = field(default=3, kw_only=False)

    @dataclass(slots=True)
    class Loose:
        name: str = "?"

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    return Flat, Loose, Empty


def _seen(action: Callable[[], object]) -> str:
    try:
        return repr(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _hashed(value: object) -> bool:
    return hash(value) == hash(value)


QUESTIONS: tuple[Callable[..., object], ...] = (
    lambda p, n, o, c, l: p(1, z=2),
    lambda p, n, o, c, l: n(1, name="a"),
    lambda p, n, o, c, l: [f.name for f in dataclasses.fields(n)],
    lambda p, n, o, c, l: n.__match_args__,
    lambda p, n, o, c, l: p(1) == p(1, (2,)),
    lambda p, n, o, c, l: p(1) == n(1),
    lambda p, n, o, c, l: hash(p(1)) == hash(p(1, (2,))),
    lambda p, n, o, c, l: _hashed(o(1)),
    lambda p, n, o, c, l: _hashed(c(1)),
    lambda p, n, o, c, l: (l("a") == l("A"), _hashed(l("a"))),
    lambda p, n, o, c, l: dataclasses.replace(n(1), x=3),
    lambda p, n, o, c, l: dataclasses.asdict(n(1)),
    lambda p, n, o, c, l: (p(3).twice, p.z, hasattr(p, "w"), p.y),
    lambda p, n, o, c, l: setattr(p(1), "x", 2),
    lambda p, n, o, c, l: delattr(p(1), "x"),
    lambda p, n, o, c, l: setattr(o(1), "x", 2),
    lambda p, n, o, c, l: c(1),
    lambda p, n, o, c, l: c(1) == c(1),
    lambda p, n, o, c, l: p(),
    lambda p, n, o, c, l: (dataclasses.is_dataclass(o), dataclasses.is_dataclass(o(1))),
    lambda p, n, o, c, l: object.__new__(o) == o(1),
    lambda p, n, o, c, l: p(1, 2, 3, 4, 5),
    lambda p, n, o, c, l: n(1, [float("nan")]),
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_does_what_the_standard_library_does(question: Callable[..., object]) -> None:
    """Each asked first of all: before, nothing is made."""
    theirs, ours = (_seen(lambda d=d: question(*_classes(d))) for d in DECORATORS)  # type: ignore[misc]
    assert ours.replace("<lambda>", "") == theirs.replace("<lambda>", "")


SLOTTED: tuple[Callable[..., object], ...] = (
    lambda f, l, e: f(1, w=2),
    lambda f, l, e: f(1, [2], 3),
    lambda f, l, e: f(),
    lambda f, l, e: (f(1).y, f(1).z, f(1).w, hasattr(f, "w"), f.__slots__),
    lambda f, l, e: f(1) == f(1),
    lambda f, l, e: hash(f(1, ())),
    lambda f, l, e: setattr(f(1), "x", 2),
    lambda f, l, e: setattr(l(), "other", 2),
    lambda f, l, e: setattr(l(), "name", 2),
    lambda f, l, e: (l("a") == l("a"), e() == e(), hash(e()), e()),
    lambda f, l, e: dataclasses.replace(l("a"), name="b"),
    lambda f, l, e: ([each.name for each in dataclasses.fields(f)], f.__match_args__),
    lambda f, l, e: copy.copy(f(1, (2,))),
)


@pytest.mark.parametrize("question", SLOTTED)
def test_so_do_those_with_slots(question: Callable[..., object]) -> None:
    theirs, ours = (_seen(lambda d=d: question(*_slotted(d))) for d in DECORATORS)  # type: ignore[misc]
    assert ours == theirs


def test_a_run_leaves_it_to_the_type_checker_that_nobody_changes_a_frozen_object(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "REFUSES", False)
    theirs, ours = (_classes(d)[1](1, z=2, name="a") for d in DECORATORS)  # `Named`, of `Point`
    assert repr(ours).endswith(repr(theirs).rpartition("<locals>")[2])
    assert type(ours).__setattr__ is object.__setattr__
    assert hash(ours) == hash(dataclasses.replace(ours, w=[1]))


@records.dataclass(frozen=True)
class Kept:
    """A class that is found by its name, as pickling has it."""

    x: int


def test_what_comes_out_of_a_pickle_is_compared_though_nothing_was_made_here() -> None:
    program = (
        "import pickle, sys; a, b = pickle.load(sys.stdin.buffer); "
        "print(a == b, hash(a) == hash(b), repr(a))"
    )
    pair = pickle.dumps((Kept(7), dataclasses.replace(Kept(1), x=7)))
    done = subprocess.run(
        [sys.executable, "-c", program], input=pair, capture_output=True, check=True
    )
    assert done.stdout.decode().split() == ["True", "True", "Kept(x=7)"]


def _made_at_once(point: Any, threads: int) -> list[object]:
    begin, made = Barrier(threads), list[object]()

    def make() -> None:
        begin.wait()
        made.append(point(1, name="a"))

    started = [Thread(target=make) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return made


def test_many_threads_may_be_the_first() -> None:
    for _ in range(50):
        point = _classes(records.dataclass)[1]
        assert _made_at_once(point, 4) == [point(1, name="a")] * 4


def test_nothing_is_made_before_it_is_asked_for() -> None:
    made = _classes(records.dataclass)
    assert all(isinstance(vars(c)["__dataclass_fields__"], records._Attribute) for c in made)


def test_each_of_ours_can_be_made() -> None:
    """What is wrong with a class, a field without a default behind one with it, is seen late."""
    absent = re.compile(r"numba|triton|__main__|\bdev\b")
    for module in pkgutil.walk_packages(perflint.__path__, "perflint."):
        if absent.search(module.name):
            continue
        for value in list(vars(importlib.import_module(module.name)).values()):
            if isinstance(value, type) and dataclasses.is_dataclass(value):
                assert inspect.signature(value.__init__)
                assert not any(isinstance(v, dataclasses.Field) for v in vars(value).values())
