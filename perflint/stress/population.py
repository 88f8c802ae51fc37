"""Inputs without formulas: a first population of patterns, and mutations of the best of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from perflint.stress import generators as g
from perflint.stress.domains import Domain
from perflint.stress.generators import Generator
from perflint.stress.merging import Merged

_WARP = 32
#: Steps between neighbouring values: words, sectors, lines, banks, and what just misses them.
_STEPS = (2, 4, 8, 16, 31, 32, 33, 64, 128, 256, 1024)
_LARGEST = 1 << 40  #: numbers that mutation comes to: products with an index stay within 64 bits
_DEEPEST = 6  #: generators inside generators that mutation makes


def patterns(domain: Domain, seed: int) -> Iterator[Generator]:
    """The usual suspects for one array."""
    if domain.kind == "offsets":
        total = domain.high
        yield g.Rows(total, g.Constant(1))
        for place in dict.fromkeys((0, domain.slot.count // 2)):
            yield g.Rows(total, g.At(place, g.Constant(1), g.Constant(0)))
        for step in (2, _WARP, 8 * _WARP):
            yield g.Rows(total, g.Every(step, g.Constant(1), g.Constant(0)))
        yield g.Rows(total, g.Affine())
        yield g.Rows(total, g.Reversed())
        yield g.Rows(total, g.Random(seed))
        yield g.Rows(total, g.Constant(0))
        return
    low, high = _ends(domain)
    yield domain.plain()
    for value in dict.fromkeys((low, high, *(() if domain.kind == "fraction" else (low + 1,)))):
        yield g.Constant(value)
    for there, elsewhere in ((high, low), (low, high)):
        for step in (2, _WARP):
            yield g.Every(step, g.Constant(there), g.Constant(elsewhere))
    yield g.Blocks(_WARP // 2, g.Every(2, g.Constant(high), g.Constant(low)))
    yield domain.random(seed)
    if domain.kind == "choice":
        return
    yield g.Affine() if domain.kind == "fraction" else domain.fitted(g.Affine())
    yield domain.fitted(g.Reversed())
    yield domain.fitted(g.Shuffled(seed))
    yield g.Sorted(domain.random(seed))
    for step in _STEPS:
        yield domain.fitted(g.Affine(step))
        yield g.Repeat(_WARP, domain.fitted(g.Affine(step)))
    for size in (2, 4, _WARP):
        yield g.Blocks(size, domain.fitted(g.Affine(_STEPS[2])))


def _ends(domain: Domain) -> tuple[int, int]:
    return (0, 1) if domain.kind == "fraction" else (domain.low, domain.high - 1)


def mutated(
    input_: Mapping[str, Generator], domains: Sequence[Domain], chance: random.Random
) -> dict[str, Generator]:
    """An input like another one, in which one array or two are made differently."""
    out = dict(input_)
    for domain in chance.sample(domains, min(len(domains), chance.choice((1, 1, 1, 2)))):
        name = domain.slot.name
        if chance.random() < 0.25:
            out[name] = chance.choice(list(patterns(domain, chance.randrange(1 << 16))))
        else:
            out[name] = _changed(out[name], domain, chance)
    return out


def _changed(generator: Generator, domain: Domain, chance: random.Random) -> Generator:
    """A generator with one of its numbers changed, or inside another one."""
    if isinstance(generator, g.Rows):
        weights = _changed(generator.weights, replace(domain, kind="number"), chance)
        return replace(generator, weights=weights)
    found = generator
    if chance.random() < 0.3 and _depth(generator) < _DEEPEST:
        inner = generator.of if isinstance(generator, g.Modulo) else generator
        size = chance.choice((2, 3, 4, 8, 16, _WARP, 2 * _WARP))
        found = chance.choice(
            (
                g.Blocks(size, inner),
                g.Repeat(size, inner),
                g.Every(size, inner, domain.random(chance.randrange(1 << 16))),
            )
        )
    else:
        found = _tweaked(generator, chance)
    return found if domain.kind == "fraction" else domain.fitted(found)


def _tweaked(generator: Generator, chance: random.Random) -> Generator:
    """A generator with one of the numbers in it changed."""
    if not is_dataclass(generator) or isinstance(generator, g.Cycle | Merged):
        return generator
    names = [f.name for f in fields(generator) if getattr(generator, f.name) is not None]
    if not names:
        return generator
    name = chance.choice(names)
    value: Any = getattr(generator, name)
    if isinstance(value, bool | int | float):
        least = 1 if name in ("size", "step", "modulus", "top", "total") else None
        changed = _number(value, chance)
        if name in ("seed", "place"):
            changed = abs(int(changed))
        return replace(generator, **{name: changed if least is None else max(least, int(changed))})
    return replace(generator, **{name: _tweaked(value, chance)})


def _number(value: int | float, chance: random.Random) -> int | float:
    if isinstance(value, float):
        return chance.choice((value * 2, value / 2, value + 0.5, -value))
    changed = (2 * value, value // 2, value + 1, value - 1, value + chance.randrange(-64, 65))
    return max(-_LARGEST, min(_LARGEST, chance.choice(changed)))


def _depth(generator: Generator) -> int:
    inner = (getattr(generator, name, None) for name in ("of", "there", "elsewhere", "weights"))
    return 1 + max((_depth(each) for each in inner if each is not None), default=0)
