"""Questions to z3: values of array elements and scalar arguments for which conditions hold.

A question falls into parts that share no element; parts that differ only in which elements they are
about have the same answer, so that the lanes of all warps are one question. Scalars keep the values
that they have where that can be, for all parts share them. Every question has so many of z3's
resource units; what is not answered by then is `unknown`: no clock decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

from perflint.base.records import dataclass
from perflint.symbolic.terms import Terms, translated, value_of, variable

#: One of these truth values holds: the numbers of terms.
Clause = tuple[int, ...]
Value = int | bool | Fraction
Model = Mapping[int, Value]  #: by variable's term
_SMALL = 100  #: terms of a question
#: z3's resource units that a division of bit-vectors by what is not known takes at least: z3 counts
#: none while it makes a circuit of it, for 2 ms at 32 bits, and a unit is half a microsecond.
_DIVISION = 1_000
_DIVISIONS = frozenset({"div_s", "div_u", "rem_s", "rem_u"})
SAT, UNSAT, UNKNOWN = "satisfiable", "unsatisfiable", "unknown"


@dataclass(frozen=True)
class Answer:
    """Whether clauses can hold together, and values for which they do."""

    status: str
    model: Model = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Witness:
    """A run: clauses that held in it, and what its input was."""

    clauses: frozenset[Clause]
    value: Callable[[int], Value]  #: by variable


class Solver:
    """Asks z3, each question once."""

    def __init__(
        self,
        terms: Terms,
        rlimit: int,
        bounds: Callable[[int], Sequence[Clause]],
        most: int | None = None,
    ) -> None:
        """`bounds` are the clauses that hold of a variable by itself.

        Behind `most` questions to z3 each is answered by `unknown`.
        """
        self.terms, self.bounds, self._rlimit, self._most = terms, bounds, rlimit, most
        self._known: dict[Any, tuple[str, tuple[Value, ...]]] = {}
        self._context: Any = None
        self.asked: Counter[str] = Counter()  #: questions to z3, by answer

    def solve(
        self, clauses: Iterable[Clause], fixed: Model | None = None, witness: Witness | None = None
    ) -> Answer:
        """Values of all variables in some clauses but for those that are `fixed`.

        A part whose clauses all held in a run has the values of that run.
        """
        fixed, clauses = fixed or {}, list(clauses)
        whole: dict[int, Value] = {}
        for part in self._parts(self._with_bounds(clauses, fixed), fixed):
            own = set(part).intersection(clauses)
            if witness is not None and all(self._held(c, fixed, witness) for c in own):
                free = frozenset[int]().union(*(self.free(c, fixed) for c in own))
                whole.update((each, witness.value(each)) for each in sorted(free))
                continue
            answer = self._ask(part, fixed)
            if answer.status != SAT:
                return answer
            whole.update(answer.model)
        return Answer(SAT, whole)

    def _held(self, clause: Clause, fixed: Model, witness: Witness) -> bool:
        """Whether a clause held in a run whose fixed values are those that are fixed now."""
        if clause not in witness.clauses:
            return False
        names = frozenset[int]().union(*(self.terms.variables(t) for t in clause))
        return all(fixed[each] == witness.value(each) for each in names & fixed.keys())

    def free(self, clause: Clause, fixed: Model) -> frozenset[int]:
        """The variables of a clause that have no fixed value."""
        found: frozenset[int] = frozenset().union(*(self.terms.variables(t) for t in clause))
        return found.difference(fixed)

    def _with_bounds(self, clauses: Iterable[Clause], fixed: Model) -> list[Clause]:
        out = dict.fromkeys(clauses)
        pending = list(out)
        seen: set[int] = set()
        while pending:
            for each in sorted(self.free(pending.pop(), fixed) - seen):
                seen.add(each)
                more = [clause for clause in self.bounds(each) if clause not in out]
                out.update(dict.fromkeys(more))
                pending.extend(more)
        return list(out)

    def _parts(self, clauses: Sequence[Clause], fixed: Model) -> list[list[Clause]]:
        """The clauses, those together that share variables."""
        above: dict[int, int] = {}

        def root(each: int) -> int:
            while above.setdefault(each, each) != each:
                above[each] = above[above[each]]
                each = above[each]
            return each

        first: list[int | None] = []
        for clause in clauses:
            names = sorted(self.free(clause, fixed))
            for one in names[1:]:
                above[root(one)] = root(names[0])
            first.append(names[0] if names else None)
        parts: dict[int | None, list[Clause]] = {}
        for clause, name in zip(clauses, first, strict=True):
            parts.setdefault(None if name is None else root(name), []).append(clause)
        return list(parts.values())

    def _ask(self, clauses: Sequence[Clause], fixed: Model) -> Answer:
        """One part's answer: that of a part of the same shape, or z3's."""
        order: dict[int, int] = {}
        key: list[Any] = []
        for clause in clauses:
            for literal in clause:
                shape, holes = self.terms.shape(literal)
                # a hole is a variable by its place in this part, or what it is fixed to
                key.append(
                    (
                        shape,
                        *(
                            ("is", fixed[h]) if h in fixed else order.setdefault(h, len(order))
                            for h in holes
                        ),
                    )
                )
            key.append(None)
        found = self._known.get(tuple(key))
        if found is None:
            found = self._known[tuple(key)] = self._answered(clauses, fixed, list(order))
        status, values = found
        return Answer(status, dict(zip(order, values, strict=False)))

    def _answered(
        self, clauses: Sequence[Clause], fixed: Model, order: Sequence[int]
    ) -> tuple[str, tuple[Value, ...]]:
        if self._most is not None and self.asked.total() >= self._most:
            return UNKNOWN, ()
        if self._divisions(clauses, fixed) * _DIVISION > self._rlimit:
            self.asked[UNKNOWN] += 1
            return UNKNOWN, ()
        import z3

        if self._context is None:
            # of its own: answers must not hang on what others of this process asked
            self._context = z3.Context()
        terms, context = self.terms, self._context
        names: dict[int, Any] = {}
        for number, each in enumerate(order):
            names[each] = variable(z3, context, f"v{number}", terms.all[each][1])
        for literal in {t for clause in clauses for t in clause}:
            for each in terms.variables(literal) & fixed.keys():
                names[each] = value_of(z3, context, terms.all[each][1], fixed[each])
        made = translated(terms, {t for clause in clauses for t in clause}, z3, context, names)
        # of small questions z3's preprocessing is most of the time
        solver = z3.SimpleSolver(ctx=context) if len(made) < _SMALL else z3.Solver(ctx=context)
        solver.set("rlimit", self._rlimit)
        solver.set("random_seed", 0)
        for clause in clauses:
            solver.add(z3.Or([made[t] for t in clause]) if len(clause) != 1 else made[clause[0]])
        try:
            found = solver.check()
            status = SAT if found == z3.sat else UNSAT if found == z3.unsat else UNKNOWN
            if status != SAT:
                self.asked[status] += 1
                return status, ()
            model = solver.model()
            values = tuple(_number(model.eval(names[v], model_completion=True)) for v in order)
        except z3.Z3Exception:
            self.asked[UNKNOWN] += 1
            return UNKNOWN, ()
        if any(v is None for v in values):
            self.asked[UNKNOWN] += 1
            return UNKNOWN, ()
        self.asked[SAT] += 1
        return SAT, values

    def _divisions(self, clauses: Iterable[Clause], fixed: Model) -> int:
        """How many divisions are by what has no fixed value."""
        pending, seen, found = [t for clause in clauses for t in clause], set[int](), 0
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            parts = self.terms.parts(each)
            pending += parts
            if self.terms.all[each][0] in _DIVISIONS:
                found += not self.terms.variables(parts[1]) <= fixed.keys()
        return found


def _number(value: Any) -> Any:
    """A value of a model; None for an irrational one."""
    if hasattr(value, "as_fraction"):
        return Fraction(value.as_fraction())
    if hasattr(value, "as_long"):
        return value.as_long()
    return None


class Conjunction:
    """What is to hold of an input, as it grows: Ω, and values for which it holds.

    Scalars have values from the beginning, and keep them as long as they can.
    """

    def __init__(self, solver: Solver, scalars: Model) -> None:
        self._solver = solver
        self.scalars: Model = dict(scalars)
        self.model: Model = {}  #: of elements
        self.clauses: dict[Clause, None] = {}
        self._of: dict[int, tuple[Clause, ...]] = {}  #: clauses by free element

    def copy(self) -> Conjunction:
        """The same, to be tried further."""
        out = Conjunction(self._solver, self.scalars)
        out.model, out.clauses, out._of = self.model, dict(self.clauses), dict(self._of)
        return out

    def concerns(self, clauses: Sequence[Clause]) -> bool:
        """Whether clauses are about anything that stands in it."""
        return any(self._of.keys() & self._solver.free(c, self.scalars) for c in clauses)

    def joined(self, clauses: Sequence[Clause], witness: Witness | None = None) -> str:
        """Add clauses where they can hold beside the others; whether they can."""
        new = [c for c in dict.fromkeys(clauses) if c not in self.clauses]
        near = [*self._touched(new, self.scalars), *new]
        answer = self._solver.solve(near, self.scalars, witness)
        scalars = self.scalars
        if answer.status == UNSAT and any(self._solver.free(c, {}) & scalars.keys() for c in new):
            answer = self._solver.solve([*self.clauses, *new])
            if answer.status == SAT:
                scalars = {s: answer.model.get(s, v) for s, v in scalars.items()}
        if answer.status == SAT:
            self.scalars = scalars
            self.model = {
                **self.model,
                **{v: x for v, x in answer.model.items() if v not in scalars},
            }
            self.clauses.update(dict.fromkeys(new))
            for clause in new:
                for each in self._solver.free(clause, scalars):
                    self._of[each] = (*self._of.get(each, ()), clause)
        return answer.status

    def _touched(self, new: Sequence[Clause], fixed: Model) -> list[Clause]:
        """The clauses that share elements with new ones, through others too."""
        out: dict[Clause, None] = {}
        pending = [e for clause in new for e in sorted(self._solver.free(clause, fixed))]
        seen: set[int] = set()
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            for clause in self._of.get(each, ()):
                if clause not in out:
                    out[clause] = None
                    pending.extend(sorted(self._solver.free(clause, fixed)))
        return list(out)
