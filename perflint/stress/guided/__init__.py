"""Guided exploration of a kernel's inputs and schedules, after GUPT.

S. Chattopadhyay, P. Eles and Z. Peng, "Automated Software Testing of Memory Performance in Embedded
GPUs" (EMSOFT 2014): concolic testing of warps, guided by static cache analyses.
"""

from __future__ import annotations

from perflint.stress.guided.monitor import Interference, Site, monitor
from perflint.stress.guided.replays import replayed
from perflint.stress.guided.schedule import ScheduleError, enforced, order
from perflint.stress.guided.search import explore, prepared, searched
from perflint.stress.guided.subject import (
    ArrayInput,
    AssumptionError,
    Coverage,
    Exploration,
    Explored,
    Options,
    ScalarInput,
    Subject,
    Values,
)
from perflint.stress.guided.timeline import Machine, Requests, Timeline, Turn, run

__all__ = [
    "ArrayInput",
    "AssumptionError",
    "Coverage",
    "Exploration",
    "Explored",
    "Interference",
    "Machine",
    "Options",
    "Requests",
    "ScalarInput",
    "ScheduleError",
    "Site",
    "Subject",
    "Timeline",
    "Turn",
    "Values",
    "enforced",
    "explore",
    "monitor",
    "order",
    "prepared",
    "replayed",
    "run",
    "searched",
]
