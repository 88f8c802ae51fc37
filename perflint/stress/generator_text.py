"""Generators read back from their texts (`perflint.stress.generators`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from perflint.base.patterns import pattern
from perflint.stress.generators import (
    Affine,
    At,
    Blocks,
    Constant,
    Cycle,
    Every,
    Generator,
    GeneratorError,
    Modulo,
    Plus,
    Random,
    Repeat,
    Reversed,
    Rows,
    Shuffled,
    Sorted,
)
from perflint.stress.merging import Merged

_DEEPEST = 12  #: generators inside generators
_LONGEST = 1 << 16  #: characters of a text

_TOKEN = pattern(
    r"\s*(?:(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)|(?P<word>[A-Za-z_]+)|(?P<sign>[-+*(),]))"
)
#: By name: the kinds of its arguments, `n` for a number and `g` for a generator, and what it makes.
_CALLS: Mapping[str, tuple[str, Callable[..., Generator]]] = MappingProxyType(
    {
        "shuffled": ("n", Shuffled),
        "blocks": ("ng", Blocks),
        "repeat": ("ng", Repeat),
        "every": ("ngg", Every),
        "at": ("ngg", At),
        "sorted": ("g", Sorted),
        "merged": ("nn", Merged),
        "plus": ("ng", lambda more, of: Plus(of, more)),
        "rows": ("ng", Rows),
    }
)
_POSITIVE = ("blocks", "repeat", "every")


def parse(text: str) -> Generator:
    """Read a generator. Raises GeneratorError."""
    if len(text) > _LONGEST:
        raise GeneratorError(f"a generator has at most {_LONGEST} characters")
    reader = _Reader(text)
    found = reader.generator(0)
    if reader.kind:
        raise reader.wrong("nothing more")
    return found


class _Reader:
    """Reads one text from its beginning on."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0
        self.kind = self.value = ""
        self._next()

    def _next(self) -> str:
        """Step over the token that stands here, and return it."""
        seen = self.value
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            left = self._text[self._place :].strip()
            self.kind, self.value = ("?", left[:20]) if left else ("", "")
        else:
            self.kind, self.value = str(match.lastgroup), match[str(match.lastgroup)]
            self._place = match.end()
        return seen

    def wrong(self, expected: str) -> GeneratorError:
        found = repr(self.value) if self.kind else "the end"
        return GeneratorError(f"{self._text!r}: expected {expected}, found {found}")

    def _is(self, value: str) -> bool:
        return self.kind in ("sign", "word") and self.value == value

    def _take(self, value: str) -> None:
        if not self._is(value):
            raise self.wrong(repr(value))
        self._next()

    def generator(self, depth: int) -> Generator:
        if depth > _DEEPEST:
            raise GeneratorError(f"{self._text!r}: generators are at most {_DEEPEST} deep")
        found = self._unit(depth)
        while self._is("mod"):
            self._next()
            found = Modulo(found, self._integer(least=1))
        return found

    def _unit(self, depth: int) -> Generator:
        if self.kind == "number" or self._is("-"):
            number = self._number()
            if self._is("*"):
                self._next()
                self._take("i")
                return self._offset(self._whole(number))
            if self._is("-"):
                self._next()
                self._take("i")
                return Affine(-1, self._whole(number))
            return Constant(number)
        if self.kind != "word":
            raise self.wrong("a generator")
        if self._is("i"):
            self._next()
            return self._offset(1)
        return self._call(self._next(), depth)

    def _offset(self, factor: int) -> Affine:
        """What stands behind `32*i`."""
        if not (self._is("+") or self._is("-")):
            return Affine(factor)
        sign = 1 if self._next() == "+" else -1
        return Affine(factor, sign * self._integer())

    def _call(self, name: str, depth: int) -> Generator:
        if name == "reversed":
            return Reversed()
        if name not in (*_CALLS, "cycle", "random"):
            known = ", ".join(sorted((*_CALLS, "cycle", "i", "random", "reversed")))
            raise GeneratorError(
                f"{self._text!r}: there is no generator {name!r}; there is {known}"
            )
        self._take("(")
        if name == "cycle":
            found: Generator = Cycle(tuple(self._integers()))
        elif name == "random":
            seed, *top = self._integers(most=2)
            if seed < 0 or any(not 1 <= each <= 1 << 62 for each in top):
                raise GeneratorError(f"{self._text!r}: seeds begin at 0 and tops at 1")
            found = Random(seed, *top)
        else:
            kinds, make = _CALLS[name]
            given: list[Any] = []
            for number, kind in enumerate(kinds):
                if number:
                    self._take(",")
                least = None if name == "plus" else 1 if name in _POSITIVE else 0
                given.append(self._integer(least) if kind == "n" else self.generator(depth + 1))
            found = make(*given)
        self._take(")")
        return found

    def _integers(self, most: int = _LONGEST) -> list[int]:
        found = [self._integer(least=None)]
        while self._is(",") and len(found) < most:
            self._next()
            found.append(self._integer(least=None))
        return found

    def _integer(self, least: int | None = 0) -> int:
        found = self._whole(self._number())
        if least is not None and found < least:
            raise GeneratorError(f"{self._text!r}: {found} is below {least}")
        return found

    def _whole(self, number: int | float) -> int:
        if not isinstance(number, int):
            raise GeneratorError(f"{self._text!r}: {number} is no integer")
        return number

    def _number(self) -> int | float:
        sign = 1
        if self._is("-"):
            self._next()
            sign = -1
        if self.kind != "number":
            raise self.wrong("a number")
        text = self._next()
        if not text.isdigit():
            return sign * float(text)
        if len(text) > 18:  # sums and products stay within 64 bits
            raise GeneratorError(f"{self._text!r}: {text} is too large")
        return sign * int(text)
