"""The arrays of a launch that gives only its numbers, as `perflint launches` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from perflint.argument_encoding import ArgumentError
from perflint.base import bounds
from perflint.base.launch_option import LaunchSpec
from perflint.lint.check_kernel import tried_launches
from perflint.lint.options import CheckOptions
from perflint.profile.arguments import ProfileLaunch
from perflint.sim.launch import Launch, Scalar
from perflint.stress.kernels import analysed, chosen, kernels_of
from perflint.stress.target import StressError


def made_launch(
    file: Path,
    name: str,
    launch: ProfileLaunch,
    arch: str,
    define: Sequence[str],
    include: Sequence[Path],
) -> Launch:
    """The launch with an argument for each parameter, as `check` makes it. Raises ArgumentError.

    One that the host code makes has its allocations and structures, too.
    """
    options = CheckOptions(
        rules=frozenset(),
        arch=(arch,),
        define=tuple(define),
        include=tuple(include),
        root=Path.cwd(),
        bound=bounds.current(),
    )
    try:
        subject, facts = analysed(chosen(kernels_of(file, options)[0], name))
    except StressError as error:
        raise ArgumentError(str(error)) from error
    read, _ = tried_launches(subject, facts)
    for condition in (c for plan in read for c in plan.conditions):
        if _is_same(launch, condition.launch, subject.parameters):
            return condition.launch
    numbers = tuple((n, v) for n, v in launch.arguments if isinstance(v, int | float))
    spec = LaunchSpec(subject.title, launch.grid, launch.block, launch.shared, numbers)
    plans, _ = tried_launches(replace(subject, specs=(spec,)), facts)
    if not plans:
        raise ArgumentError(f"no launch of {name} can be made: say each of its arguments")
    return plans[0].conditions[0].launch


def _is_same(given: ProfileLaunch, tried: Launch, names: Sequence[str]) -> bool:
    """Whether a launch that is read has the shape and the numbers of one that is given."""
    if (given.grid, given.block, given.shared) != (tried.grid, tried.block, tried.dynamic_shared):
        return False
    numbers = dict(given.arguments)
    return all(
        name in numbers and isinstance(argument, Scalar) and numbers[name] == argument.value
        for name, argument in zip(names, tried.arguments, strict=True)
        if isinstance(argument, Scalar) or isinstance(numbers.get(name), int | float)
    )
