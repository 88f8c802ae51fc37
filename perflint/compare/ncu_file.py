"""What Nsight Compute measured, read of its report by NVIDIA's package `ncu-report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from perflint.base.records import dataclass
from perflint.compare.schema import MetricsError

#: Our figure of a launch: the counters whose sum it is, by the names of Nsight Compute.
_COUNTERS = {
    "warp instructions": ("smsp__inst_executed.sum",),
    "global requests": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ),
    "sectors": (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ),
    "wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",),
}
#: Our figure of a line: the metric that has a value for each machine instruction.
_BY_INSTRUCTION = {
    "sectors": "memory_l2_theoretical_sectors_global",
    "wavefronts": "memory_l1_wavefronts_shared",
}
_CYCLES = "sm__cycles_elapsed.max"
_MOST = 10_000  #: launches of a report that are looked at


@dataclass(frozen=True)
class MeasuredLaunch:
    """One launch that was measured. What the report lacks is missing here."""

    kernel: str  #: the function's name without parameters
    grid: tuple[int, ...]  #: (): not told
    block: tuple[int, ...]
    capability: tuple[int, ...]  #: (8, 0); (): not told
    multiprocessors: int  #: 0: not told
    cycles: int  #: that passed on the multiprocessors; 0: not told
    counts: Mapping[str, int]  #: by our names
    lines: Mapping[tuple[str, int], Mapping[str, int]]  #: by the file's last name and the line


def read(path: Path) -> tuple[MeasuredLaunch, ...]:
    """The launches of a report, in its order. Raises MetricsError where it cannot be read."""
    try:
        import ncu_report
    except ImportError as error:
        raise MetricsError(
            f"{path}: reading it needs NVIDIA's package: pip install ncu-report"
        ) from error
    if not path.is_file():
        raise MetricsError(f"{path}: there is no such file")
    try:
        context = ncu_report.load_report(str(path))
        actions = (action for profiled in context for action in profiled)
        found = tuple(_launch(action) for action in islice(actions, _MOST))
    except (RuntimeError, ValueError, OSError) as error:
        raise MetricsError(f"{path}: is no report of Nsight Compute: {error}") from error
    if not found:  # of any other file too
        raise MetricsError(f"{path}: is no report of Nsight Compute, or one without a launch")
    return found


def _launch(action: Any) -> MeasuredLaunch:
    def numbers(*names: str) -> tuple[int, ...]:
        found = tuple(_value(action, name) for name in names)
        return () if None in found else tuple(n for n in found if n is not None)

    counts = {name: sum(numbers(*of)) for name, of in _COUNTERS.items() if numbers(*of)}
    [*_, multiprocessors] = (0, *numbers("device__attribute_multiprocessor_count"))
    [*_, cycles] = (0, *numbers(_CYCLES))
    return MeasuredLaunch(
        kernel=action.name(),
        grid=numbers(*(f"launch__grid_dim_{axis}" for axis in "xyz")),
        block=numbers(*(f"launch__block_dim_{axis}" for axis in "xyz")),
        capability=numbers(
            *(f"device__attribute_compute_capability_{part}" for part in ("major", "minor"))
        ),
        multiprocessors=multiprocessors,
        cycles=cycles,
        counts=counts,
        lines=_lines(action),
    )


def _value(action: Any, name: str) -> int | None:
    metric = action.metric_by_name(name)
    return None if metric is None or not metric.has_value() else int(metric.as_double())


def _lines(action: Any) -> Mapping[tuple[str, int], Mapping[str, int]]:
    sums: dict[tuple[str, int], Counter[str]] = {}
    for name, measured in _BY_INSTRUCTION.items():
        for address, value in by_instruction(action, measured):
            info = action.source_info(address)
            if info is not None:
                place = PurePath(info.file_name()).name, int(info.line())
                sums.setdefault(place, Counter())[name] += value
    return sums


def by_instruction(action: Any, name: str) -> Iterator[tuple[int, int]]:
    """A metric's values by the address of the instruction."""
    metric = action.metric_by_name(name)
    if metric is None or not metric.has_correlation_ids():
        return
    addresses = metric.correlation_ids()
    for number in range(metric.num_instances()):
        yield int(addresses.as_uint64(number)), int(metric.as_double(number))
