"""Arrays as rules: `32*i`, `random(3, 256) mod 64`, `rows(4096, at(0, 1, 0))`.

An input stays a rule, so that a finding can name its pattern and `--launch` can make it again. Each
generator's `text` reads back as the same generator, and makes the same array on every machine.

    7  -1  0.5            the same everywhere
    i  32*i  i+3  9-i     of the element's number
    reversed              the last number first
    random(S)  random(S, T)   of seed S: integers below T (1024), floats below T (1)
    shuffled(S)           every number once, in the order of seed S
    cycle(3, 17, 29)      these, again and again
    G mod M               remainders
    plus(N, G)            N more
    blocks(K, G)          each value of G, K times
    repeat(K, G)          the first K values of G, again and again
    every(K, A, B)        A at each Kth element, B at the others
    at(K, A, B)           A at element K, B at the others
    sorted(G)             ascending
    merged(E, 0)  merged(E, 1)   two lists that a merge of E a thread takes worst (merging.py)
    rows(T, W)            offsets of rows: T entries dealt out by the weights W
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from perflint.base.records import dataclass

#: Integers of random data are below this, so that they can serve as indices.
RANDOM_TOP = 1024


class GeneratorError(ValueError):
    """A text that is no generator, or values that do not fit; the message says which."""


class Generator(Protocol):
    """A rule that makes an array."""

    @property
    def text(self) -> str:
        """How it is written; `parse` reads it back."""

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        """The elements with these numbers of an array of `count`: int64, or float64."""


@dataclass(frozen=True)
class Constant:
    """The same everywhere."""

    value: int | float

    @property
    def text(self) -> str:
        return str(self.value)

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        kind = np.int64 if isinstance(self.value, int) else np.float64
        return np.full(len(index), self.value, kind)


@dataclass(frozen=True, eq=False)
class Kept:
    """Data that follow no rule: in place of one, the file that they are kept in."""

    name: str
    data: np.ndarray

    @property
    def text(self) -> str:
        return f"{self.name}.npy"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(self.data.reshape(-1)[index])


@dataclass(frozen=True)
class Affine:
    """`factor * i + offset`."""

    factor: int = 1
    offset: int = 0

    @property
    def text(self) -> str:
        if self.factor == -1:
            return f"{self.offset}-i"
        multiple = "i" if self.factor == 1 else f"{self.factor}*i"
        return multiple + (f"{self.offset:+d}" if self.offset else "")

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        if abs(self.factor) * count + abs(self.offset) >= 1 << 63:
            raise GeneratorError(f"{self.text} is too large for 64 bits")
        return np.asarray(self.factor * index + self.offset)


@dataclass(frozen=True)
class Reversed:
    """The last number first."""

    text = "reversed"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(count - 1 - index)


@dataclass(frozen=True)
class Random:
    """Random numbers of a seed; `top` None: integers below RANDOM_TOP, floats below 1."""

    seed: int
    top: int | None = None

    @property
    def text(self) -> str:
        return f"random({self.seed})" if self.top is None else f"random({self.seed}, {self.top})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        random = np.random.default_rng(self.seed)
        some = int(index.max(initial=-1)) + 1
        return np.asarray(random.integers(0, self.top or RANDOM_TOP, some)[index])

    def fractions(self, index: np.ndarray) -> np.ndarray:
        """The same as floats, (n,) float64."""
        random = np.random.default_rng(self.seed)
        return np.asarray(random.random(int(index.max(initial=-1)) + 1)[index] * (self.top or 1))


@dataclass(frozen=True)
class Shuffled:
    """Every number once."""

    seed: int

    @property
    def text(self) -> str:
        return f"shuffled({self.seed})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(np.random.default_rng(self.seed).permutation(count)[index])


@dataclass(frozen=True)
class Cycle:
    """Some values, again and again."""

    values: tuple[int, ...]

    @property
    def text(self) -> str:
        return f"cycle({', '.join(map(str, self.values))})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(np.array(self.values, np.int64)[index % len(self.values)])


@dataclass(frozen=True)
class Modulo:
    """Remainders."""

    of: Generator
    modulus: int

    @property
    def text(self) -> str:
        return f"{self.of.text} mod {self.modulus}"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(np.mod(self.of.at(index, count), self.modulus))


@dataclass(frozen=True)
class Plus:
    """Another one, moved."""

    of: Generator
    more: int

    @property
    def text(self) -> str:
        return f"plus({self.more}, {self.of.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(self.of.at(index, count) + self.more)


@dataclass(frozen=True)
class Blocks:
    """Each value of another one, `size` times."""

    size: int
    of: Generator

    @property
    def text(self) -> str:
        return f"blocks({self.size}, {self.of.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return self.of.at(index // self.size, -(-count // self.size))


@dataclass(frozen=True)
class Repeat:
    """The first values of another one, again and again."""

    size: int
    of: Generator

    @property
    def text(self) -> str:
        return f"repeat({self.size}, {self.of.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return self.of.at(index % self.size, self.size)


@dataclass(frozen=True)
class Every:
    """One rule at each `step`th element, another one at the rest."""

    step: int
    there: Generator
    elsewhere: Generator

    @property
    def text(self) -> str:
        return f"every({self.step}, {self.there.text}, {self.elsewhere.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        there, elsewhere = self.there.at(index, count), self.elsewhere.at(index, count)
        return np.where(index % self.step == 0, there, elsewhere)


@dataclass(frozen=True)
class At:
    """One rule at a single element, another one at the rest."""

    place: int
    there: Generator
    elsewhere: Generator

    @property
    def text(self) -> str:
        return f"at({self.place}, {self.there.text}, {self.elsewhere.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        there, elsewhere = self.there.at(index, count), self.elsewhere.at(index, count)
        return np.where(index == self.place, there, elsewhere)


@dataclass(frozen=True)
class Sorted:
    """Ascending."""

    of: Generator

    @property
    def text(self) -> str:
        return f"sorted({self.of.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        return np.asarray(np.sort(self.of.at(np.arange(count), count))[index])


@dataclass(frozen=True)
class Rows:
    """Offsets of `count - 1` rows: the first is 0, the last `total`; lengths go by the weights."""

    total: int
    weights: Generator

    @property
    def text(self) -> str:
        return f"rows({self.total}, {self.weights.text})"

    def at(self, index: np.ndarray, count: int) -> np.ndarray:
        rows = max(1, count - 1)
        weights = np.maximum(self.weights.at(np.arange(rows), rows), 0)
        sums = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
        whole = int(sums[-1])
        # Python's integers where the product of two would not fit
        exact = sums.astype(object) if whole * self.total >= 1 << 62 else sums
        offsets = exact * self.total // max(1, whole)
        return np.asarray(offsets.astype(np.int64)[index])


def array(generator: Generator, dtype: np.dtype[Any], count: int) -> np.ndarray:
    """The array itself, (count,). Raises GeneratorError where a value does not fit the type."""
    index = np.arange(count, dtype=np.int64)
    if dtype.kind == "f":
        if isinstance(generator, Random):
            return generator.fractions(index).astype(dtype)
        found = generator.at(index, count)
        return found.astype(dtype)
    found = generator.at(index, count)
    if found.dtype.kind == "f":
        if not (found == np.floor(found)).all():
            raise GeneratorError(f"{generator.text} makes fractions, and the array holds integers")
        found = found.astype(np.int64)
    limits = np.iinfo(dtype)
    low, high = int(found.min(initial=0)), int(found.max(initial=0))
    if low < int(limits.min) or high > int(limits.max):
        worst = low if low < int(limits.min) else high
        raise GeneratorError(f"{generator.text} makes {worst}, which no {dtype} holds")
    return found.astype(dtype)
