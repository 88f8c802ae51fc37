"""Records what a GPU counts of the programs in `tests/data/hw`, for `hardware.py`.

    python benchmarks/hardware_record.py [PROGRAM…]

Needs an NVIDIA GPU, nvcc, ncu and NVIDIA's package `ncu-report`. The first launch of each kernel is
measured, at the clock that the GPU has. `measured.json` is written anew, but for what other
programs have.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

from perflint.compare.ncu_file import by_instruction

HERE = Path(__file__).parent.parent / "tests/data/hw"
#: Of each machine instruction, in the order of the record.
COUNTERS = (
    "inst_executed",
    "thread_inst_executed",
    "memory_l2_theoretical_sectors_global",
    "memory_l1_tag_requests_global",
    "memory_l1_wavefronts_shared",
)
#: Of the launch: the metric by its name in the record.
METRICS = {
    "cycles": "sm__cycles_elapsed.max",
    "nanoseconds": "gpu__time_duration.sum",
    "registers": "launch__registers_per_thread",
    "theoretical_occupancy": "sm__maximum_warps_per_active_cycle_pct",
    "l2_sectors_read": "lts__t_sectors_op_read.sum",
    "fp64": "sm__inst_executed_pipe_fp64.sum",
}
SHARED = ("static", "dynamic")
SAMPLES = "smsp__pcsamp_warps_issue_stalled"
READY = "not_selected"  #: a warp that could issue: it waits for nothing
FLAGS = ("-O3", "-std=c++17", "-lineinfo", "-arch=native")


def record(program: Path, folder: Path) -> list[dict[str, Any]]:
    """The kernels of a program, each as its first launch was measured."""
    import ncu_report

    binary, report = folder / program.stem, folder / f"{program.stem}.ncu-rep"
    subprocess.run(["nvcc", "-w", *FLAGS, str(program), "-o", str(binary)], check=True)
    names = (*METRICS.values(), *COUNTERS, "group:smsp__pcsamp_warp_stall_reasons")
    subprocess.run(
        ["ncu", "--clock-control", "none", "-f", "-o", str(report), "--metrics", ",".join(names),
         "--kernel-id", ":::1", str(binary)], check=True,
    )  # fmt: skip
    actions = (action for profiled in ncu_report.load_report(str(report)) for action in profiled)
    return [_kernel(action, program.name) for action in actions]


def _kernel(action: Any, file: str) -> dict[str, Any]:
    def value(name: str) -> float:
        return round(float(action.metric_by_name(name).as_double()), 2)

    return {
        "kernel": action.name(),
        "grid": [int(value(f"launch__grid_dim_{axis}")) for axis in "xyz"],
        "block": [int(value(f"launch__block_dim_{axis}")) for axis in "xyz"],
        **{own: value(name) for own, name in METRICS.items()},
        "shared": int(sum(value(f"launch__shared_mem_per_block_{kind}") for kind in SHARED)),
        "lines": list(_lines(action, file)),
    }


def _lines(action: Any, file: str) -> Iterator[list[Any]]:
    """(line, share of the samples, its different memory instructions) of one file's lines."""
    counts = {name: dict(by_instruction(action, name)) for name in COUNTERS}
    reasons = [n for n in action.metric_names() if n.startswith(SAMPLES)]
    reasons = [n for n in reasons if not n.endswith(("_not_issued", READY))]
    samples: dict[int, int] = {}
    for name in reasons:
        for address, number in by_instruction(action, name):
            samples[address] = samples.get(address, 0) + number
    every = sum(samples.values()) or 1
    lines: dict[int, tuple[list[int], dict[tuple[Any, ...], None]]] = {}
    for address in sorted(counts["inst_executed"]):
        info = action.source_info(address)
        if info is None or PurePath(info.file_name()).name != file:
            continue
        own, accesses = lines.setdefault(int(info.line()), ([], {}))
        own.append(samples.get(address, 0))
        figures = tuple(counts[name].get(address, 0) for name in COUNTERS)
        if figures[2] or figures[4]:
            accesses[_opcode(action.sass_by_pc(address)), *figures] = None
    for line, (own, accesses) in sorted(lines.items()):
        if any(own) or accesses:
            yield [line, round(sum(own) / every, 4), [list(each) for each in accesses]]


def _opcode(sass: str) -> str:
    return next(word for word in sass.split() if not word.startswith("@"))


def text(document: Mapping[str, Any]) -> str:
    """The record as JSON, a line to each line of a program."""
    heads = [f" {json.dumps(k)}: {json.dumps(v)}," for k, v in document.items() if k != "programs"]
    programs = [
        f"  {json.dumps(name)}: [\n" + ",\n".join(map(_kernel_text, kernels)) + "\n  ]"
        for name, kernels in sorted(document["programs"].items())
    ]
    return "\n".join(["{", *heads, ' "programs": {', ",\n".join(programs), " }", "}", ""])


def _kernel_text(kernel: Mapping[str, Any]) -> str:
    head = json.dumps({name: value for name, value in kernel.items() if name != "lines"})
    lines = ",\n".join(f"    {json.dumps(line)}" for line in kernel["lines"])
    return f'   {head[:-1]}, "lines": [\n{lines}\n   ]}}'


def main(names: Sequence[str]) -> int:
    path = HERE / "measured.json"
    document = json.loads(path.read_text())
    with TemporaryDirectory() as folder:
        for program in sorted((HERE / "programs").glob("*.cu")):
            if not names or program.name in names:
                document["programs"][program.name] = record(program, Path(folder))
    path.write_text(text(document))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
