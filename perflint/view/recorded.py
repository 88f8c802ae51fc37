"""The launches of a program that runs on the simulator, as a page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from perflint.cli.check_command import sources
from perflint.cli.output import say
from perflint.cli.request import Request as Report
from perflint.cli.settings import Source, merged
from perflint.lint.options import DEFAULT_ARCH
from perflint.run.command import Request, RunError, executed, program_of
from perflint.run.modules import parsed
from perflint.run.profiles import latest, profiled
from perflint.run.sources import Sources
from perflint.run.watch import WatchOptions
from perflint.sim.tracers.request_trace import RequestTrace
from perflint.view.finding_rows import with_findings
from perflint.view.launches import MOST, ViewError
from perflint.view.trace_writer import document

_SMS, _MEMORY = 4, 8 << 30  #: of the device that the program is told of, as `perflint run` does


def of_program(command: Sequence[str], line: Source, findings: bool) -> Iterator[dict[str, Any]]:
    """A trace document of the last launch of each kernel and shape. Raises ViewError."""
    own = merged([line])
    paths = (Path(),)
    report = Report(paths, (*sources(paths, own, say), line))
    options = report.options()
    arch = (options.arch or (DEFAULT_ARCH,))[0]
    asked = Request(
        command=tuple(command), check=False, profile=True, record=None, sample=False,
        trace_budget=0.0, sms=_SMS, devices=1, device_memory=_MEMORY,
        no_findings=not findings, line=line, allow_unsimulated=True,
    )  # fmt: skip
    try:
        program = program_of(command[0])
        watch = WatchOptions(program, keep=True, check=False, sample=False, budget=0.0)
        ended, seen = executed(asked, watch, arch)
    except RunError as error:
        raise ViewError(str(error)) from error
    if ended.status:
        say(f"perflint: {program.name} ended with status {ended.status}")
    found = list(latest(seen))
    if not found:
        raise ViewError(f"{program.name} launched no kernel that could be kept")
    judged = []
    if findings:
        from perflint.lint.ruleset import load
        from perflint.run.judge import judge
        from perflint.run.records import merged as together

        records = together(s.records for s in seen)
        judged = list(judge(records, program, load(options.rules), arch, options, {}).findings)
    for launch, texts in found[:MOST]:
        recorder = RequestTrace()
        figures = profiled(launch, texts, program, arch, [recorder])
        kernel = parsed(texts, str(program)).functions[launch.kernel]
        lines = Sources(texts, program).lines(kernel)
        trace = document(figures, recorder, lines, texts if len(texts) == 1 else ())
        yield with_findings(trace, judged)
