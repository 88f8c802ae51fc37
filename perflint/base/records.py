"""`dataclass` as of the standard library, for classes most of which are never made use of in a run.

The standard library writes and compiles the methods of a data class when its module is imported,
half a millisecond for each class: more than half of what importing all of ours took. Here they are
made when one of them, or the list of fields, is first asked for. Until then stand-ins hold their
places. What comes of it is the same class with the same methods. Of classes whose fields are alike
but for their names, the code of `__init__` is compiled once.

That nobody assigns to a frozen object is for the type checker to say. To be refused when it is done
an assignment has to go through a function, in `__init__` too, which makes a batch of a trace five
times as dear: a thirtieth of a check was this. The tests have it refused (`REFUSES`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, slots=False):
        """As `dataclasses.dataclass`. Ordered classes are made at once."""

        def made(cls):
            if order:
                make = dataclasses.dataclass(frozen=frozen, eq=eq, order=order, slots=slots)
                return make(cls)
            if cls.__doc__ is None:
                cls.__doc__ = cls.__name__
            if slots:
                cls = _with_slots(cls, frozen)
            _promise(cls, frozen, eq)
            return cls

        return made if cls is None else made(cls)


#: Whether objects of frozen classes that are declared from now on refuse to be changed.
REFUSES = False

_ALWAYS, _COMPARED = ("__init__", "__repr__"), ("__eq__", "__hash__")
_ATTRIBUTES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
_lock = RLock()


def _with_slots(cls: type, frozen: bool) -> type:
    """A class in place of another, with the fields that it lists, and with slots for them."""
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    if frozen and "__getstate__" not in vars(cls):
        for name, method in (("__getstate__", _state), ("__setstate__", _restore)):
            setattr(made, name, method)
    return made


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: Sequence[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _promise(cls: type, frozen: bool, eq: bool) -> None:
    """Put stand-ins where the methods and the list of fields of a data class belong."""
    made = False

    def complete() -> None:
        nonlocal made
        with _lock:
            if not made:
                _complete(cls, frozen, frozenset(stand_ins))
                made = True

    stand_ins: dict[str, object] = {}
    if not _lists_fields(cls):
        stand_ins |= {name: _Attribute(name, complete) for name in _ATTRIBUTES}
    for name in (*_ALWAYS, *(_COMPARED if eq else ())):
        if vars(cls).get(name) is None:  # `__hash__` of a class that has its own `__eq__`
            stand_ins[name] = _method(cls, name, complete)
    if eq and not frozen and "__hash__" in stand_ins:
        stand_ins["__hash__"] = None  # what can be changed and compared cannot be hashed
    for name, stand_in in stand_ins.items():
        setattr(cls, name, stand_in)
    if frozen and REFUSES:
        _freeze(cls)


def _lists_fields(cls: type) -> bool:
    return isinstance(vars(cls).get(_ATTRIBUTES[0]), dict)


def _complete(cls: type, frozen: bool, stand_ins: frozenset[str]) -> None:
    """Put methods in place of the stand-ins that do what the standard library's do.

    It reads the fields. Only `__init__` needs code of its own.
    """
    if not _lists_fields(cls):
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    fields = dataclasses.fields(cls)
    compared = [f.name for f in fields if f.compare]
    hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    made: dict[str, object] = {
        "__match_args__": tuple(f.name for f in fields if f.init),
        "__repr__": _representation([f.name for f in fields if f.repr]),
        "__eq__": _equality(_reader(compared)),
        "__hash__": _hash(_reader(hashed)) if frozen else None,
        "__init__": _initialiser(cls, fields),  # whoever has this one finds all else
    }
    for name, method in made.items():
        if name in stand_ins:
            setattr(cls, name, method)


def _initialiser(cls: type, fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    space: dict[str, Any] = {"_set": object.__setattr__, "_none": dataclasses.MISSING}
    names, kinds, defaults = {"self": "self"}, "", []
    for each in fields:
        made = each.default_factory is not dataclasses.MISSING
        if not each.init and not made:
            continue  # the class has it
        at = len(kinds)
        names[f"_{at}"] = each.name
        kinds += _GIVEN if not made else _GIVEN_OR_MADE if each.init else _MADE
        if made:
            space[f"_make_{at}"] = each.default_factory
        if each.init and (made or each.default is not dataclasses.MISSING):
            defaults.append(dataclasses.MISSING if made else each.default)
    refuses = any("__setattr__" in vars(each) for each in cls.__mro__[:-1])
    code = _named(_code(kinds, refuses, hasattr(cls, "__post_init__")), names)
    result = FunctionType(code, space, "__init__", tuple(defaults))
    result.__qualname__ = f"{cls.__qualname__}.__init__"
    return result


#: How a field gets its value, a letter for each: as an argument, from its factory, or both.
_GIVEN, _MADE, _GIVEN_OR_MADE = "gmb"


@cache
def _code(kinds: str, refuses: bool, goes_on: bool) -> CodeType:
    """The code of an `__init__` for fields `_0`, `_1` and so on of some kinds."""
    values = {_GIVEN: "_{0}", _MADE: "_make_{0}()",
              _GIVEN_OR_MADE: "_make_{0}() if _{0} is _none else _{0}"}  # fmt: skip
    setting = "_set(self, '_{0}', {1})" if refuses else "self._{0} = {1}"
    lines = [setting.format(at, values[k].format(at)) for at, k in enumerate(kinds)]
    lines += ["self.__post_init__()"] if goes_on else []
    given = "".join(f", _{at}" for at, kind in enumerate(kinds) if kind != _MADE)
    space: dict[str, Any] = {}
    exec("\n ".join((f"def __init__(self{given}):", *(lines or ["pass"]))), space)
    code: CodeType = space["__init__"].__code__
    return code


def _named(code: CodeType, names: Mapping[str, str]) -> CodeType:
    """Code with other names in place of some."""
    variables, attributes, constants = (
        tuple(names.get(each, each) if isinstance(each, str) else each for each in found)
        for found in (code.co_varnames, code.co_names, code.co_consts)
    )
    return code.replace(co_varnames=variables, co_names=attributes, co_consts=constants)


def _reader(names: Sequence[str]) -> Callable[[object], tuple[Any, ...]]:
    """What gives some attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda value: ()
    read = attrgetter(names[0])
    return lambda value: (read(value),)


def _representation(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def representation(self: object) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return representation


def _equality(read: Callable[[object], object]) -> Callable[[object, object], bool]:
    def equality(self: object, other: object) -> bool:
        return read(self) == read(other) if type(other) is type(self) else NotImplemented

    return equality


def _hash(read: Callable[[object], object]) -> Callable[[object], int]:
    return lambda self: hash(read(self))


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
