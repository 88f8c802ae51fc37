"""Inputs that are made for accesses that no trial reaches: data, and sizes, that meet its guards.

A run is followed symbolically (`perflint.symbolic`). The branch nearest to the access at which a
warp goes the other way is turned: z3 is asked for values of the elements and arguments that it
hangs on, near those that the run has, and the next run begins with them. Everything is counted,
nothing timed, so that results do not hang on the machine.

Such an input shows how an access looks whenever it is reached, never how often that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from perflint.analysis.model import KernelFacts
from perflint.lint.experiment import Condition, Plan, made_name
from perflint.lint.followed_runs import Allowance, Follow, FollowedRun, Input, Place, followed
from perflint.lint.free_inputs import SCALES, number_of, with_arrays
from perflint.sim.launch import Same
from perflint.symbolic.conjuncts import held, merge, turned
from perflint.symbolic.followed import Condition as Asked
from perflint.symbolic.routes import routes_to
from perflint.symbolic.solver import SAT, Conjunction, Solver, Witness
from perflint.symbolic.terms import Terms

ROUNDS = 4  #: branches that are turned for one access, one after the other
CANDIDATES = 3  #: of a run's branches, the nearest ones, of which one is turned
EFFORT = 50_000  #: z3's resource units for one question: some 25 ms
MOST_ELEMENTS = 1 << 20  #: of an array, up to the last one that is set
MOST_SHOWN = 3  #: different elements that are named


def inputs_for(
    facts: KernelFacts,
    names: Sequence[str],
    plan: Plan,
    pcs: Sequence[int],
    follow: Follow,
    left: Allowance,
) -> Iterator[Condition]:
    """Inputs with which a warp should come to an access, the plainest first; none if none is found.

    `names` are the parameters' source names. Raises LaunchError.
    """
    first = plan.conditions[0]
    if first.launch.image is not None:
        return  # what was recorded is what it is
    on_data = any(s.data_dependent for s in facts.sites if not set(pcs).isdisjoint(s.pcs))
    if not (on_data or plan.open_arguments({})):
        return  # no guard of it hangs on anything that could be another
    given = left.begun.setdefault(first, Input(first, first))
    failed: set[Place] = set()
    for _ in range(ROUNDS):
        if left.instructions <= 0:
            return
        run = followed(facts, plan, given, follow, left)
        positions = [p for pc in pcs if (p := run.setting.position.get(pc)) is not None]
        if any(p in run.trace.followed.reached for p in positions):
            break
        following = _next(run, plan, positions, failed, left)
        if following is None:
            return
        given = following
    if given.elements or given.arguments:
        yield from _offered(run, given, names)


# --- the branch that is turned --------------------------------------------------------------------


def _next(
    run: FollowedRun, plan: Plan, positions: Sequence[int], failed: set[Place], left: Allowance
) -> Input | None:
    """The input with which a warp goes on where it turned away; `failed` are those it cannot."""
    routes: dict[tuple[int, bool], int] = {}
    for position in positions:
        for way, distance in routes_to(run.setting.program, position).items():
            routes[way] = min(distance, routes.get(way, distance))
    for place in islice(_nearest(run, routes, failed), CANDIDATES):
        found, questions = left.turned.get((run, place), (None, left.questions + 1))
        if questions > left.questions:
            found, questions = _turned(run, plan, place, left.questions)
            left.turned[run, place] = found, questions
        left.questions -= questions
        if found is not None:
            return found
        failed.add(place)
    return None


def _nearest(
    run: FollowedRun, routes: Mapping[tuple[int, bool], int], failed: Collection[Place]
) -> Iterator[Place]:
    """Branches that lead to an access where all of a warp's lanes there go another way.

    The nearest first; of equally near ones where most lanes stand, then the earliest.
    """
    found = []
    for order, asked in enumerate(run.trace.followed.conditions):
        goes, warps = run.goes(asked), asked.slots >> 5
        for way in (True, False):
            distance = routes.get((asked.position, way))
            left = warps[goes != way]
            if distance is None or not len(left):
                continue
            lanes = np.bincount(left, minlength=int(warps.max()) + 1)
            lanes[warps[goes == way]] = 0  # some of its lanes go there
            warp = int(lanes.argmax())
            if lanes[warp]:
                turn = int(asked.turn[(warps == warp).argmax()])
                found.append((distance, -int(lanes[warp]), order, (asked.position, turn, warp)))
    yield from (place for *_, place in sorted(found) if place not in failed)


def _turned(run: FollowedRun, plan: Plan, place: Place, most: int) -> tuple[Input | None, int]:
    """The input with which a warp's lanes go the other way at a branch; None if there is none.

    And the questions, of at `most` so many, that were asked.
    """
    terms = Terms()
    warp = place[2]
    paths, _ = merge(terms, [a for c in run.trace.followed.conditions if (a := _of(c, warp))])
    path = paths.get(warp, ())
    at = next((n for n, c in enumerate(path) if (c.position, c.turn) == place[:2]), None)
    if at is None or len(path[at].ways) != 1:
        return None, 0
    before = [c for each in path[:at] for c in held([(t,) for t in each.literals], each)]
    witness = Witness(frozenset(held(before, path[at])), partial(run.value_in, terms))
    scalars = {
        terms.scalar(name, each.sort): number_of(each.value, each.sort)
        for name, each in run.free.arguments.items()
    }
    asked = 0
    for scale in SCALES:
        bounds = partial(run.free.bounds, terms, scale)
        solver = Solver(terms, EFFORT, bounds, most=most - asked)
        status, omega = turned(terms, Conjunction(solver, scalars), before, path[at], witness)
        asked += solver.asked.total()
        if status == SAT:
            return _of_model(run, plan, terms, omega), asked
    return None, asked


def _of(asked: Asked, warp: int) -> Asked | None:
    """A condition of the threads of one warp; None where it has none."""
    mine = asked.slots >> 5 == warp
    if not mine.any():
        return None
    return replace(asked, slots=asked.slots[mine], turn=asked.turn[mine], holds=asked.holds[mine])


def _of_model(run: FollowedRun, plan: Plan, terms: Terms, omega: Conjunction) -> Input | None:
    """The input that a solver's values make; None where the host code launches no such thing."""
    elements = {name: dict(each) for name, each in run.given.elements.items()}
    for variable, number in omega.model.items():
        _, _, name, index = terms.all[variable]
        value = run.free.arrays[name].value(number)
        if index >= MOST_ELEMENTS:
            return None
        if value != run.element(name, index):
            elements.setdefault(name, {})[index] = value
    arguments = dict(run.given.arguments)
    for variable, number in omega.scalars.items():
        each = run.free.arguments[terms.all[variable][2]]
        if number != number_of(each.value, each.sort):
            arguments[each.index] = int(number)
    base = run.given.base if arguments == run.given.arguments else plan.with_arguments(arguments)
    if base is None:
        return None
    return Input(base, with_arrays(base, run.data(elements)), elements, arguments)


# --- what is made of it ---------------------------------------------------------------------------


def _offered(run: FollowedRun, given: Input, names: Sequence[str]) -> Iterator[Condition]:
    """An input with arrays of one number each where all that was set is the same; then as solved.

    What only one warp was solved for may do for all.
    """
    arguments = [f"{names[i]} = {value:,}" for i, value in given.arguments.items()]
    alike = {
        name: next(iter(each.values()))
        for name, each in given.elements.items()
        if len(set(each.values())) == 1
    }
    others = {name: each for name, each in given.elements.items() if name not in alike}
    told = ", ".join([*arguments, *(_text(*each) for each in given.elements.items())])
    if alike:
        same = {name: Same(value.item()) for name, value in alike.items()}
        made = with_arrays(given.base, {**same, **run.data(others)})
        yield replace(made, name=made_name(made, told), reached_with=told)
    yield replace(given.condition, name=made_name(given.base, told), reached_with=told)


def _text(name: str, changed: Mapping[int, Any]) -> str:
    """`mask[…] = 1`, `to[…] = 3, 5, …`; PTX loads an `int` as `u32`, so that signs are shown."""
    values = list(dict.fromkeys(_signed(changed[index]) for index in sorted(changed)))
    shown = ", ".join(
        f"{value:g}" if isinstance(value, float) else str(value) for value in values[:MOST_SHOWN]
    )
    return f"{name}[…] = {shown}{', …' if len(values) > MOST_SHOWN else ''}"


def _signed(value: np.generic) -> int | float:
    signed = value.view(f"i{value.dtype.itemsize}") if value.dtype.kind == "u" else value
    return signed.item()  # type: ignore[no-any-return]
