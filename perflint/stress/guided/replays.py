"""An input under a schedule that is given, once more: ξ of what an exploration found."""

from __future__ import annotations

from collections.abc import Sequence

from perflint.stress.guided.execution import traced
from perflint.stress.guided.monitor import Interference
from perflint.stress.guided.schedule import enforced
from perflint.stress.guided.steps import Steps
from perflint.stress.guided.subject import Options, Subject, Values


def replayed(
    subject: Subject, values: Values, schedule: Sequence[int], options: Options | None = None
) -> Interference:
    """ξ of an input under a schedule, turn by turn its warps: what `explore` found of them.

    Which references always hit is known from the launch's own input, as in the search. Raises
    ScheduleError where the launch does not have such a schedule.
    """
    options = options or Options()
    steps = Steps(subject, options)
    most = min(options.warp_instructions, options.run_instructions)
    requests = subject.requests(traced(subject, values, steps.blocks, most))
    return steps.under(enforced(schedule), requests)[1]
