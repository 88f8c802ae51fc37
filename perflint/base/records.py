"""`dataclass` as of the standard library, for classes most of which are never made use of in a run.

The standard library writes and compiles the methods of a data class when its module is imported,
half a millisecond for each class: more than half of what importing all of ours took. Here they are
made when one of them, or the list of fields, is first asked for. Until then stand-ins hold their
places. What comes of it is the same class with the same methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, slots=False):
        """As `dataclasses.dataclass`. Ordered classes and those with slots are made at once."""

        def made(cls):
            if order or slots:
                make = dataclasses.dataclass(frozen=frozen, eq=eq, order=order, slots=slots)
                return make(cls)
            _promise(cls, frozen, eq)
            return cls

        return made if cls is None else made(cls)


_ALWAYS, _COMPARED = ("__init__", "__repr__"), ("__eq__", "__hash__")
_ATTRIBUTES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
#: What each class has for itself.
_OWN = frozenset({"__dict__", "__weakref__", "__setattr__", "__delattr__", "__qualname__"})
_lock = RLock()


def _promise(cls: type, frozen: bool, eq: bool) -> None:
    """Put stand-ins where the methods and the list of fields of a data class belong."""
    made = False

    def complete() -> None:
        nonlocal made
        with _lock:
            if not made:
                _complete(cls, frozen, eq, frozenset(stand_ins))
                made = True

    stand_ins: dict[str, object] = {name: _Attribute(name, complete) for name in _ATTRIBUTES}
    for name in (*_ALWAYS, *(_COMPARED if eq else ())):
        if vars(cls).get(name) is None:  # `__hash__` of a class that has its own `__eq__`
            stand_ins[name] = _method(cls, name, complete)
    if eq and not frozen and "__hash__" in stand_ins:
        stand_ins["__hash__"] = None  # what can be changed and compared cannot be hashed
    for name, stand_in in stand_ins.items():
        setattr(cls, name, stand_in)
    if frozen:
        _freeze(cls)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__


def _complete(cls: type, frozen: bool, eq: bool, stand_ins: frozenset[str]) -> None:
    """Put what the standard library makes of a class's twin in place of the stand-ins."""
    space = {n: value for n, value in vars(cls).items() if n not in stand_ins and n not in _OWN}
    space["__qualname__"] = cls.__qualname__
    twin = type(cls)(cls.__name__, cls.__bases__, space)
    made = vars(dataclasses.dataclass(frozen=frozen, eq=eq)(twin))
    for name, value in space.items():  # `field(default=1)`: the class has the default, or nothing
        if isinstance(value, dataclasses.Field):
            if name in made:
                setattr(cls, name, made[name])
            else:
                delattr(cls, name)
    for name in sorted(made.keys() - space.keys() - _OWN, key="__init__".__eq__):
        setattr(cls, name, made[name])  # `__init__` last: whoever has one finds all else


def _method(cls: type, name: str, complete: Callable[[], None]) -> Callable[..., Any]:
    def method(self: object, *arguments: Any, **named: Any) -> Any:
        complete()
        return getattr(cls, name)(self, *arguments, **named)

    return method


class _Attribute:
    """An attribute of a class that is made with its methods."""

    def __init__(self, name: str, complete: Callable[[], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, instance: object, owner: type) -> Any:
        self._complete()
        return getattr(owner, self._name)


def _freeze(cls: type) -> None:
    """Let nobody assign to a class's objects; `object.__setattr__` and `cached_property` may."""

    def set_attribute(self: object, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def delete_attribute(self: object, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    for name, method in (("__setattr__", set_attribute), ("__delattr__", delete_attribute)):
        setattr(cls, name, method)
