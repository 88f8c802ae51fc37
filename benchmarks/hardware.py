"""Findings beside what Nsight Compute counted of the same programs on a GPU.

    python benchmarks/hardware.py [PROGRAM…]

The programs and the counts are data of the tests (`tests/data/hw`); `hardware_record.py` recorded
them. Each finding about sectors or wavefronts is held against the counter of the same statement:
its figure per request, or the one over all requests that a note gives. The GPU ran the first launch
of each kernel whole; perflint runs a few blocks, with data of its own. Equal is what differs by
less than 2%. The last column is the share of the finding's lines in the samples that the GPU took
of the kernel's warps.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent / "tests/data/hw"
#: The part of an opcode's name that tells what a message calls an access.
_KINDS = {"load from": ("LD",), "store to": ("ST",), "atomic": ("RED", "ATOM")}
_OVER_ALL = re.compile(r"as a profiler counts, it is ([\d.,]+) where")
_APART = 0.02


@dataclass(frozen=True)
class Pair:
    """A finding's figure and what the GPU counted."""

    code: str
    place: str
    figure: float
    counted: tuple[float, ...]  #: of each machine instruction of its kind in the statement
    share: float  #: of the kernel's warp samples

    @property
    def equal(self) -> bool:
        return any(abs(self.figure - each) <= _APART * each for each in self.counted)


def measured() -> Mapping[str, Any]:
    """What was recorded of each program."""
    programs: Mapping[str, Any] = json.loads((HERE / "measured.json").read_text())["programs"]
    return programs


def findings(program: str) -> list[dict[str, Any]]:
    """The warnings that `perflint check` has of a program."""
    command = [sys.executable, "-m", "perflint", "check", "--isolated", "--exit-zero", "--no-cache",
               "--output-format", "json", str(HERE / "programs" / program)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return [each for each in found if each["level"] == "warning"]


def pairs(program: str, found: Sequence[Mapping[str, Any]]) -> Iterator[Pair]:
    """The findings of a program whose figure the GPU has a counter of."""
    kernels = {each["kernel"]: each for each in reversed(measured()[program])}
    for each in found:
        kernel = kernels.get((each["kernel"] or "").partition("<")[0])
        if kernel is None or not (unit := _unit(each)):
            continue
        of_line = {row: (share, accesses) for row, share, accesses in kernel["lines"]}
        row = each["location"]["row"]
        rows = {row, *(r["location"]["row"] for r in each["related"])}
        _, accesses = of_line.get(row, (0, ()))
        names = next((n for text, n in _KINDS.items() if text in each["message"]), ())
        counted = [_per_request(of, unit) for op, *of in accesses if op.startswith(names)]
        if any(counted):
            share = sum(of_line[r][0] for r in rows if r in of_line)
            place = f"{program}:{row}"
            figure = _figure(each)
            yield Pair(each["code"], place, figure, tuple(filter(None, counted)), share)


def _unit(finding: Mapping[str, Any]) -> str:
    metric = finding["evidence"][0]["metric"] if finding["evidence"] else ""
    unit, _, rest = metric.partition(" ")
    return unit if rest == "per request" and unit in ("sectors", "wavefronts") else ""


def _figure(finding: Mapping[str, Any]) -> float:
    told = next(filter(None, map(_OVER_ALL.search, finding["notes"])), None)
    return float(told[1].replace(",", "") if told else finding["evidence"][0]["measured"])


def _per_request(counts: Sequence[int], unit: str) -> float:
    requests, _, sectors, _, wavefronts = counts
    return (sectors if unit == "sectors" else wavefronts) / requests


def text(of: Sequence[Pair]) -> str:
    """The table, and a line for each finding that is not equal."""
    lines = [
        "| rule | findings | equal | median share of the kernel's samples |",
        "|---|---|---|---|",
    ]
    for code, number in sorted(Counter(each.code for each in of).items()):
        own = [each for each in of if each.code == code]
        median = sorted(each.share for each in own)[len(own) // 2]
        lines.append(f"| {code} | {number} | {sum(e.equal for e in own)} | {median:.0%} |")
    for each in of:
        if not each.equal:
            gpu = ", ".join(sorted({f"{n:.3g}" for n in each.counted}))
            lines.append(f"{each.place} {each.code}: {each.figure:.3g}, the GPU {gpu}")
    return "\n".join(lines)


def main() -> int:
    chosen = sys.argv[1:] or sorted(measured())
    print(text([pair for name in chosen for pair in pairs(name, findings(name))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
