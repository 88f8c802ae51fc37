"""Further worlds for accesses that no run reached: none that a kernel cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from perflint.lint import followed_runs, further_trials, made_inputs, run_ends
from perflint.lint.experiment import Condition, Plan
from perflint.lint.followed_runs import Allowance
from perflint.rules.protocol import KnownLaunch
from perflint.sim.launch import Aggregate, Buffer, Fill, Launch, Scalar, Stop
from perflint.sim.tracers import found as tracers

SITE = (7,)


def _condition(name: str, n: int, size: int = 1024) -> Condition:
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("a", "f32", size), Scalar(n)))
    return Condition(name, launch, Fill.RANDOM, _shape(), size=n)


def _shape() -> KnownLaunch:
    return KnownLaunch((1, 1, 1), (32, 1, 1), 0, {}, {})


def _trial(name: str, stop: Stop | None) -> Any:
    return SimpleNamespace(name=name, run=SimpleNamespace(stop=stop, requests={}))


def _ran(
    monkeypatch: pytest.MonkeyPatch, more: Sequence[Condition], stop: Stop | None
) -> list[str]:
    ran: list[str] = []

    def run(program: object, condition: Condition, *_: object) -> Any:
        ran.append(condition.name)
        return _trial(condition.name, None)

    monkeypatch.setattr(further_trials, "trial_of", run)
    plan = Plan(_shape(), (_condition("n = 8", 8),), more=lambda: tuple(more))
    program: Any = SimpleNamespace(budget=2.0)
    further_trials.further_trials(program, plan, [_trial("n = 8", stop)], (), (SITE,), 1)
    return ran


def test_a_world_whose_launch_was_run_to_its_end_is_not_run_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = [_condition("m = 2", 8), _condition("n = 2", 2), _condition("n = 2, m = 2", 2)]
    assert _ran(monkeypatch, more, None) == ["n = 2"]
    assert _ran(monkeypatch, more, Stop("instruction budget")) == ["n = 2"]


def test_one_that_ended_early_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ran(monkeypatch, [_condition("m = 2", 8)], Stop("enough")) == ["m = 2"]


def test_an_array_of_another_size_is_another_world(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ran(monkeypatch, [_condition("m = 2", 8, size=512)], None) == ["m = 2"]


def _of_a_struct(name: str, n: int, size: int = 1024) -> Condition:
    struct = Aggregate(n.to_bytes(16, "little"), ((8, Buffer("a", "f32", size)),))
    launch = Launch((1, 1, 1), (32, 1, 1), (struct,))
    return Condition(name, launch, Fill.RANDOM, _shape(), size=n)


def test_pointers_in_a_struct_are_told_apart_by_what_they_point_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    more = [_of_a_struct("m = 2", 2), _of_a_struct("m = 3", 2), _of_a_struct("m = 4", 2, 512)]
    assert _ran(monkeypatch, more, None) == ["m = 2", "m = 4"]


@pytest.mark.parametrize(
    ("on_data", "invented", "followed"),
    [(False, {}, False), (True, {}, True), (False, {2: 96}, True)],
)
def test_only_what_hangs_on_something_free_is_followed(
    monkeypatch: pytest.MonkeyPatch, on_data: bool, invented: dict[int, int], followed: bool
) -> None:
    class Followed(Exception):  # noqa: N818
        pass

    def follow(*_: object) -> None:
        raise Followed

    monkeypatch.setattr(made_inputs, "followed", follow)
    sites = [SimpleNamespace(pcs=SITE, data_dependent=on_data)]
    sites.append(SimpleNamespace(pcs=(9,), data_dependent=not on_data))
    facts: Any = SimpleNamespace(sites=sites)
    plan = Plan(_shape(), (_condition("n = 8", 8),), open_arguments=lambda given: invented)
    made = made_inputs.inputs_for(facts, (), plan, SITE, follow, Allowance(1000))
    with pytest.raises(Followed) if followed else nullcontext():
        assert list(made) == []


@pytest.mark.parametrize(
    ("ended", "instructions", "runs"), [(True, 1000, 1), (False, 1000, 2), (True, 480, 2)]
)
def test_accesses_of_a_launch_begin_with_one_run(
    monkeypatch: pytest.MonkeyPatch, ended: bool, instructions: int, runs: int
) -> None:
    """Each pays for it; another is made where less is left than it took, or it was cut short."""
    asked = []

    def follow(_condition: Condition, _tracer: object, most: int) -> tuple[int, bool]:
        asked.append(most)
        return 240, ended

    monkeypatch.setattr(followed_runs, "arrays_of", lambda *_: {})
    kernel: Any = SimpleNamespace(parameters=())
    facts: Any = SimpleNamespace(kernel=kernel)
    plan = Plan(_shape(), (_condition("n = 8", 8),), open_arguments=lambda given: {})
    left = Allowance(instructions)
    given = followed_runs.Input(plan.conditions[0], plan.conditions[0])
    for _ in range(2):
        followed_runs.followed(facts, plan, given, follow, left)
    assert len(asked) == runs
    assert left.instructions == instructions - 2 * 240


@pytest.mark.parametrize(
    ("names", "length", "after"),
    [
        (("AccessCounter",), 300, run_ends.FIRST_BLOCKS),
        (("AccessCounter",), 200, run_ends.LONG // 200 + 2),
        (("AccessCounter",), 10, run_ends.BLOCKS + 1),
        (("AccessCounter", "Repeats"), 300, run_ends.BLOCKS + 1),
    ],
)
def test_a_run_of_long_basic_blocks_ends_by_its_instructions(
    names: Sequence[str], length: int, after: int
) -> None:
    """Unless one of its tracers is patient."""
    long = run_ends.longest(tracers()[name]() for name in names)
    reach = run_ends.Reach((SITE,), frozenset(SITE), long)
    for block in range(1, run_ends.BLOCKS + 2):
        batch: Any = SimpleNamespace(pc=SITE[0], warp=(0,), order=(block - 1) * length)
        reach.memory(batch)
        if reach():
            break
    assert block == after
