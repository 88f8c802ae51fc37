"""`perflint stress`: from the command line's values to the report, the suite and the status."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from perflint.base import bounds
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.cli.check_command import sources
from perflint.cli.request import Request as CheckRequest
from perflint.cli.settings import Source, merged
from perflint.lint.options import DEFAULT_ARCH, CheckOptions
from perflint.profile.arguments import ProfileLaunch
from perflint.sim.launch import Scalar
from perflint.stress import assumptions, suite
from perflint.stress.crew import Away
from perflint.stress.domains import domains
from perflint.stress.findings import worst
from perflint.stress.formulas import Formulas
from perflint.stress.generators import GeneratorError
from perflint.stress.interference import Interfering, interfering
from perflint.stress.kernels import chosen, kernels_of
from perflint.stress.launches import target_of
from perflint.stress.objectives import INTERFERENCE, OBJECTIVES
from perflint.stress.report import WRITERS, Report
from perflint.stress.search import Search, mended
from perflint.stress.target import StressError, Target
from perflint.stress.trial import Input, Limits, Outcome, fitted, tried
from perflint.stress.trying import trying


@dataclass(frozen=True)
class Request:
    """The values of `perflint stress`'s arguments and options."""

    file: Path
    kernel: str | None
    launch: ProfileLaunch | None
    objectives: tuple[str, ...]  #: () for all but interference
    seconds: float
    seed: int
    tries: int
    assume: tuple[str, ...]
    output: Path | None  #: the suite's folder; None for none
    output_format: str
    output_file: Path | None
    line: Source  #: how files are read, as the command line says


def stress(request: Request) -> int:
    """Search, print, write the suite, and return the exit status. Raises UserError."""
    settings = merged([request.line])
    asked = CheckRequest(
        (request.file,), (*sources((request.file,), settings, output.say), request.line)
    )
    options = asked.options()
    if len(options.arch) > 1:
        raise StressError("one GPU is simulated: give --arch once")
    if not request.file.is_file():
        raise StressError(f"{request.file}: there is no such file")
    options = replace(options, arch=options.arch or (DEFAULT_ARCH,))
    if request.output:
        suite.check_folder(request.output)
    with bounds.within(asked.bound()):
        found, own = searched(request, options)
    kept = suite.cases(worst(found), own)
    build = suite.Build(request.file, options.define, options.include)
    if request.output and kept:
        suite.write(request.output, found, kept, build, Limits())
    report = Report(found, kept, request.output if kept else None, own)
    text = WRITERS[request.output_format](report)
    if request.output_file:
        output.write(request.output_file, text)
    else:
        sys.stdout.write(text)
    return 0


def searched(request: Request, options: CheckOptions) -> tuple[Search, Interfering | None]:
    """A search that has run, and explorations if they are asked for. Raises StressError."""
    deadline = time.monotonic() + request.seconds
    subjects, _ = kernels_of(request.file, options)
    name = request.kernel or (request.launch.kernel if request.launch else None)
    target = target_of(chosen(subjects, name), request.launch)
    away = None if options.cluster is None else Away(request.file, options)
    search = search_of(target, request, options.jobs, deadline, away=away)
    if INTERFERENCE.name not in request.objectives:
        return search, None
    assumed = Assumed.of(search.target, request.assume).read
    return search, interfering(search, assumed, options.jobs, away)


def search_of(
    target: Target,
    request: Request,
    jobs: int,
    deadline: float,
    watch: Callable[[int, Outcome], None] = lambda number, outcome: None,
    away: Away | None = None,
) -> Search:
    """A search of a target that has run; `watch` is told of each try. Raises StressError.

    It does not run where interference alone is asked for.
    """
    said = Assumed.of(target, request.assume)
    target = fitted(target)
    formulas = Formulas(target.facts, target.launch)

    def works(input_: Input) -> bool:
        kept = mended(input_, said.broken)
        return not said.broken(kept) and not tried(target, kept, Limits()).wrong

    found = domains(target, formulas, works, said.bounds)
    asked = tuple(name for name in request.objectives or OBJECTIVES if name in OBJECTIVES)
    with trying(target, jobs, away) as evaluate:
        search = Search(
            target, formulas, found, asked, evaluate,
            said.broken, request.seed, request.tries, deadline, watch,
        )  # fmt: skip
        if asked:
            search.run()
    return search


@dataclass(frozen=True, eq=False)
class Assumed:
    """What the user says of a target's input."""

    target: Target
    read: Sequence[assumptions.Assumption]
    arrays: Mapping[str, np.ndarray]
    scalars: Mapping[str, int | float]

    @classmethod
    def of(cls, target: Target, texts: Sequence[str]) -> Assumed:
        """Raises StressError for what cannot be read, or cannot hold."""
        arrays = {slot.name: slot.data for slot in target.slots}
        pairs = zip(target.subject.parameters, target.launch.arguments, strict=True)
        scalars = {name: each.value for name, each in pairs if isinstance(each, Scalar)}
        read = [assumptions.read(text, arrays, scalars) for text in texts]
        assumptions.check(read, arrays, scalars)
        return cls(target, read, arrays, scalars)

    def broken(self, input_: Input) -> str:
        """The assumption that an input does not meet; "" where it meets all."""
        try:
            arrays = self.target.arrays(input_) if self.read else {}
            return assumptions.broken(self.read, arrays, self.scalars)
        except GeneratorError:
            return ""  # it is refused where it is tried

    def bounds(self, name: str, low: int, high: int) -> tuple[int, int]:
        """The range of an array that is said to have one."""
        return assumptions.bounds(self.read, name, self.arrays, self.scalars, low, high)
