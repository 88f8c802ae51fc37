"""An object of which nothing is known: what a package that is not installed would hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Anything:
    """It has every attribute, can be called, decorates without effect and is a base of classes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name}, which is not installed>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything(f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What decorates a function or a class gives it back."""
        decorated = len(args) == 1 and not kwargs and callable(args[0])
        if decorated and type(args[0]) is not Anything:
            return args[0]
        return Anything(f"{self._name}()")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (Bare,)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, other: Any) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        return Anything(f"{self._name}[]")

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __or__
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __or__

    def __lt__(self, other: Any) -> bool:
        """What is compared of packages is their versions: they are new."""
        return False

    def __gt__(self, other: Any) -> bool:
        return True

    __le__, __ge__ = __lt__, __gt__

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Nothing was entered."""


class Bare:
    """A base class of which nothing is known."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it takes."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything(name)
