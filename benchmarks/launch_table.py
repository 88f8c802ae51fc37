"""Fields of launches as they were recorded and as `check` would try them, and their table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

FIELDS = ("block", "grid", "shared", "scalar", "launch")
#: Values that a difference is shown with.
SHOWN = 4
#: Loops have many turns, of which few are tried.
TURN = "another turn of a loop"
#: Two more: the GPU that programs run on here has 4 multiprocessors, `check` answers as an A100
#: does; and nobody reads a program's data files to find out what it launches.
DEVICE = "the simulated GPU answers otherwise"
FILE = "a size from a file"
APART = (DEVICE, FILE)


@dataclass(frozen=True)
class Compared:
    """A field of a recorded launch."""

    program: str
    kernel: str
    field: str  #: of FIELDS
    name: str  #: the argument's
    equal: bool
    luck: bool  #: equal, but in conditions only that invented it
    recorded: str
    tried: tuple[str, ...]
    cause: str
    written: str  #: at the launches, the field's expressions
    any_turn: bool = False  #: equal in one of all turns of its loop


def table(rows: Sequence[Compared]) -> str:
    """The share of equal fields: of launches, and of kernels."""
    out = [f"{'':16}{'of launches':>24}{'of kernels':>12}{'by luck':>10}"]
    of = {field: [r for r in rows if r.field == field] for field in FIELDS}
    for field in FIELDS[:-1]:
        every = [replace(r, equal=r.equal or r.any_turn) for r in of[field]]
        of[f"{field}, any turn"] = every
        of[f"{field}, apart"] = [r for r in every if not r.cause.startswith(APART)]
    for field, mine in of.items():
        by_kernel: dict[tuple[str, str], list[bool]] = defaultdict(list)
        for row in mine:
            by_kernel[row.program, row.kernel].append(row.equal)
        equal = sum(r.equal for r in mine)
        kernels = sum(sum(each) / len(each) for each in by_kernel.values())
        out.append(
            f"{field:16}{equal:8} of {len(mine):5}{equal / max(1, len(mine)):8.1%}"
            f"{kernels / max(1, len(by_kernel)):12.1%}{sum(r.luck for r in mine):10}"
        )
    return "\n".join(out)


def causes(rows: Sequence[Compared]) -> str:
    """How many differences of each field have which cause."""
    counts = Counter((r.field, re.sub(r":.*", "", r.cause)) for r in rows if r.cause)
    return "\n".join(f"{n:5} {field:8} {cause}" for (field, cause), n in counts.most_common())


def differences(rows: Iterable[Compared]) -> Iterator[str]:
    """A line for each field of a kernel that differs, its launches together."""
    groups: dict[tuple[str, ...], list[Compared]] = defaultdict(list)
    for row in rows:
        if not row.equal and row.field != "launch":
            groups[row.program, row.kernel, row.field, row.name].append(row)
    for (program, kernel, field, name), group in groups.items():
        first = group[0]
        real = ", ".join(shown(r.recorded for r in group))
        mine = ", ".join(first.tried) or "nothing"
        where = f" ({first.written})" if first.written else ""
        what = f"{field} {name}".strip()
        yield f"{program}: {kernel}: {what} is {real}, tried {mine}: {first.cause}{where}"


def shown(texts: Iterable[str]) -> tuple[str, ...]:
    every = tuple(dict.fromkeys(texts))
    return every[:SHOWN] if len(every) <= SHOWN else (*every[:SHOWN], "…")
