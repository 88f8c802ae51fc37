"""Inputs: what arrays are filled with, what may be tried, and what a model makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from perflint.stress.guided.assumptions import Template
from perflint.stress.guided.subject import (
    ArrayInput,
    AssumptionError,
    Number,
    ScalarInput,
    Subject,
    Values,
)
from perflint.symbolic.solver import UNSAT, Clause, Model, Solver
from perflint.symbolic.terms import Terms
from perflint.symbolic.transfer import width

_SPREAD = 1024  #: integers of an array that held but one value are drawn from this far around it


def sort_of(dtype: np.dtype[Any]) -> str:
    """The sort of an array's elements."""
    return f"{'f' if dtype.kind == 'f' else 'b'}{8 * dtype.itemsize}"


def scalar_sort(subject: Subject, name: str) -> str:
    """The sort of a scalar argument: a float where its value is one."""
    variable = next(p for p in subject.kernel.parameters if p.name == name)
    kind = "f" if isinstance(subject.scalars[name].value, float) else "b"
    return f"{kind}{8 * variable.size}"


class Space:
    """The inputs of a subject that may be tried, as bounds and assumptions."""

    def __init__(self, subject: Subject, terms: Terms, assumptions: Sequence[str] = ()) -> None:
        """Raises AssumptionError for what cannot be read."""
        self.subject, self.terms = subject, terms
        #: arrays whose elements are used as addresses, with how many make a record
        self.indices: dict[str, int] = {}
        self._names = {a.name: p for p, a in subject.scalars.items()} | {
            p: p for p in subject.scalars
        }
        self._assumptions = [(text, Template(terms, self.variable, text)) for text in assumptions]

    # --- drawing ---------------------------------------------------------------------------------

    def given(self) -> Values:
        """The launch's own input."""
        return Values(
            {name: each.data for name, each in self.subject.arrays.items()},
            {name: each.value for name, each in self.subject.scalars.items()},
        )

    def drawn(self, rng: np.random.Generator, scalars: Mapping[str, Number]) -> Values:
        """An input with random arrays."""
        arrays = {}
        for name, each in self.subject.arrays.items():
            arrays[name] = self._array(each, rng) if each.free else each.data
        return Values(arrays, dict(scalars))

    def _array(self, each: ArrayInput, rng: np.random.Generator) -> np.ndarray:
        if each.name in self.indices:
            return _shuffled(each.data, self.indices[each.name], rng)
        low, high = self._range(each)
        if each.data.dtype.kind == "f":
            return rng.uniform(float(low), float(high), each.data.shape).astype(each.data.dtype)
        if each.data.dtype.kind == "b":
            return rng.integers(0, 2, each.data.shape).astype(bool)
        return rng.integers(int(low), int(high), each.data.shape, each.data.dtype, endpoint=True)

    def _range(self, each: ArrayInput) -> tuple[Number, Number]:
        """Between which numbers an array's elements are drawn."""
        kind = each.data.dtype.kind
        low, high = (each.data.min().item(), each.data.max().item()) if each.data.size else (0, 0)
        if low == high and kind != "b":
            spread: Number = 1.0 if kind == "f" else _SPREAD
            low, high = low - spread, high + spread
        told = [each.low, each.high]
        for _, template in self._assumptions:
            found = template.bound(each.name)
            if found is not None:
                told[found[0]] = found[1]
        low, high = (
            told[0] if told[0] is not None else low,
            told[1] if told[1] is not None else high,
        )
        if kind in "iu":
            limits = np.iinfo(each.data.dtype)
            low, high = max(int(low), int(limits.min)), min(int(high), int(limits.max))
        return low, max(low, high)

    # --- what may be solved for ------------------------------------------------------------------

    def bounds(self, variable: int) -> list[Clause]:
        """What holds of an element or a scalar by itself."""
        term = self.terms.all[variable]
        out: list[Clause] = []
        if term[0] == "scalar":
            each = self.subject.scalars[term[2]]
            out += self._between(variable, *_scalar_range(each), signed=True)
            if not each.free:
                out += self._between(variable, each.value, each.value, signed=True)
        else:
            array = self.subject.arrays[term[2]]
            signed = array.data.dtype.kind != "u"
            if not array.free:
                value = array.data.reshape(-1)[term[3]].item() if term[3] < array.data.size else 0
                return self._between(variable, value, value, signed)
            out += self._between(variable, *self._solvable(array, term[3]), signed)
        for _, template in self._assumptions:
            out += template.about(variable)
        return out

    def _solvable(self, array: ArrayInput, index: int) -> tuple[Number | None, Number | None]:
        """Between which numbers an element may be solved for.

        What leads to addresses stays among what the launch has at such places of a record.
        """
        low, high, data = array.low, array.high, array.data
        if array.name in self.indices and data.size:
            period = max(1, self.indices[array.name])
            like = data.reshape(-1)[index % period :: period]
            least, most = like.min().item(), like.max().item()
            return least if low is None else low, most if high is None else high
        truth = data.dtype.kind == "b" or (
            data.dtype.itemsize == 1 and data.size and data.max() <= 1 and data.min() >= 0
        )
        if truth and low is None and high is None:
            return 0, 1
        return low, high

    def _between(
        self, variable: int, low: Number | None, high: Number | None, signed: bool
    ) -> list[Clause]:
        sort = self.terms.all[variable][1]
        suffix = "" if sort[0] == "f" else "_s" if signed else "_u"
        out: list[Clause] = []
        if low is not None:
            out.append((self.terms.op(f"le{suffix}", "p", self.terms.const(low, sort), variable),))
        if high is not None:
            out.append((self.terms.op(f"le{suffix}", "p", variable, self.terms.const(high, sort)),))
        return out

    # --- of a model ------------------------------------------------------------------------------

    def scalars(self) -> dict[int, Any]:
        """The scalars' own values, by term; of those that are given as numbers."""
        out: dict[int, Any] = {}
        for name, each in self.subject.scalars.items():
            sort = scalar_sort(self.subject, name)
            value = Fraction(each.value) if sort[0] == "f" else int(each.value) % (1 << width(sort))
            out[self.terms.scalar(name, sort)] = value
        return out

    def made(self, rng: np.random.Generator, scalars: Model, model: Model) -> Values:
        """A random input with a model's values in it."""
        numbers: dict[str, Number] = {}
        for number, value in scalars.items():
            _, sort, name = self.terms.all[number]
            signed = self.subject.scalars[name].value
            numbers[name] = float(value) if sort[0] == "f" else _signed(int(value), width(sort))
            if isinstance(signed, int) and signed >= 1 << (width(sort) - 1):
                numbers[name] = int(value)
        drawn = self.drawn(rng, numbers)
        for number, value in model.items():
            _, sort, name, index = self.terms.all[number]
            flat = drawn.arrays[name].reshape(-1)
            if self.subject.arrays[name].free and index < len(flat):
                flat[index] = _element(value, flat.dtype)
        return drawn

    def value_in(self, values: Values, variable: int) -> Any:
        """What an input gives a variable."""
        term = self.terms.all[variable]
        if term[0] == "scalar":
            value: Any = values.scalars[term[2]]
        else:
            flat = values.arrays[term[2]].reshape(-1)
            value = flat[term[3]].item() if term[3] < len(flat) else 0
        return Fraction(value) if term[1][0] == "f" else int(value) % (1 << width(term[1]))

    # --- assumptions -----------------------------------------------------------------------------

    def check(self, rlimit: int) -> None:
        """Raises AssumptionError with two that contradict each other."""
        solver = Solver(self.terms, rlimit, lambda variable: [])
        asked = [(text, template.at(0)) for text, template in self._assumptions]
        for number, (text, clause) in enumerate(asked):
            if solver.solve([clause]).status == UNSAT:
                raise AssumptionError(f"nothing meets the assumption {text!r}")
            for other, before in asked[:number]:
                if solver.solve([before, clause]).status == UNSAT:
                    raise AssumptionError(
                        f"the assumptions {other!r} and {text!r} contradict each other"
                    )
        if asked and solver.solve([c for _, c in asked]).status == UNSAT:
            texts = ", ".join(repr(t) for t, _ in asked)
            raise AssumptionError(f"the assumptions {texts} contradict each other together")

    def variable(self, name: str, index: int) -> tuple[int, bool] | None:
        """The term of `name`, or of its element, and whether it has a sign."""
        if name in self.subject.arrays:
            dtype = self.subject.arrays[name].data.dtype
            return self.terms.element(name, index, sort_of(dtype)), dtype.kind != "u"
        if name in self._names:
            name = self._names[name]
            return self.terms.scalar(name, scalar_sort(self.subject, name)), True
        return None


def _shuffled(data: np.ndarray, period: int, rng: np.random.Generator) -> np.ndarray:
    """The records of an array in another order: what leads to addresses is not made up."""
    flat, size = data.reshape(-1).copy(), max(1, period)
    records = flat[: len(flat) // size * size].reshape(-1, size)
    flat[: records.size] = records[rng.permutation(len(records))].reshape(-1)
    return flat.reshape(data.shape)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _element(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "f":
        return dtype.type(float(value))
    if dtype.kind == "b":
        return bool(value)
    return np.array(int(value), np.uint64).astype(f"u{dtype.itemsize}").view(dtype)


def _scalar_range(each: ScalarInput) -> tuple[Number | None, Number | None]:
    if isinstance(each.value, float):
        return each.low, each.high
    low = each.low if each.low is not None else min(0, each.value)
    return low, each.high if each.high is not None else max(0, each.value)
