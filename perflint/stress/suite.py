"""A suite: a folder of cases, each the input, what it did, and a program that runs it elsewhere.

`case.json` holds what is needed to launch the kernel again and the figures to expect. The arrays
lie beside it as `.npy`, with those that the kernel leaves behind as `expected_….npy`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from perflint import __version__
from perflint.analysis.model import AccessSite
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.cli import output
from perflint.report.context import plain
from perflint.sim.launch import Aggregate, Argument, Buffer, Scalar, Texture
from perflint.stress import interference_report
from perflint.stress.findings import Worst, message, span
from perflint.stress.generators import Kept
from perflint.stress.interference import Interfering
from perflint.stress.objectives import OBJECTIVES, Place
from perflint.stress.program import held, program, symbol_file, why_none
from perflint.stress.search import Search, spelt
from perflint.stress.target import StressError, Target, file_name, relative
from perflint.stress.trial import Input, Limits, left_behind, of_arrays

SCHEMA = "perflint/stress/1"
CASE = "case.json"
#: The order of warps that the simulator keeps to; cases of other orders name theirs.
SCHEDULE = "emulator"
#: The warps of a case's order, turn by turn. No parameter has such a name.
WARPS = "schedule-of-warps.npy"
_NUMBERED = pattern(r"case-\d{1,6}")


@dataclass(frozen=True)
class Build:
    """How the kernel's file is compiled."""

    file: Path
    define: tuple[str, ...]
    include: tuple[Path, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """An input that is kept, and the places that it is the worst of."""

    name: str
    input: Input
    worst: tuple[Worst, ...]
    interfering: Interfering | None = None  #: what the case is of, where it has an order of warps

    def figures(self, search: Search, folder: Path) -> list[dict[str, Any]]:
        """What it does, as JSON data."""
        if self.interfering is not None:
            return [interference_report.figure(self.interfering, folder)]
        return [figure(search, each, folder) for each in self.worst]


def cases(found: Sequence[Worst], interfering: Interfering | None = None) -> list[Case]:
    """The inputs of some findings, each once; that of interference is the last one."""
    groups: dict[str, list[Worst]] = {}
    for each in found:
        groups.setdefault(spelt(each.best.input), []).append(each)
    out = [
        Case(f"case-{number}", group[0].best.input, tuple(group))
        for number, group in enumerate(groups.values(), 1)
    ]
    if interfering is not None and interfering.is_worse:
        out.append(Case(f"case-{len(out) + 1}", interfering.input, (), interfering))
    return out


def texts(input_: Input) -> dict[str, str]:
    """The generators of an input, of the arrays that have one."""
    return {name: each.text for name, each in input_.items() if not isinstance(each, Kept)}


def given_file(name: str) -> str:
    """The file of an array as it was at first: what always hits is known of that."""
    return f"given-{file_name(name)}.npy"


def check_folder(folder: Path) -> None:
    """Raise StressError for a folder that a suite cannot be written to."""
    output.check_place(folder / CASE if folder.is_dir() else folder)
    if folder.exists() and not folder.is_dir():
        raise StressError(f"{folder}: is no folder")
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        if each.is_symlink():
            raise StressError(f"{each}: is a link; remove it, or name another folder")
        if not (_NUMBERED.fullmatch(each.name) and (each / CASE).is_file()):
            raise StressError(f"{folder}: holds {each.name}, which is no case; name another folder")


def write(folder: Path, search: Search, kept: Sequence[Case], build: Build, limits: Limits) -> None:
    """Write a suite in place of the one that was there."""
    check_folder(folder)
    try:
        folder.mkdir(exist_ok=True)
        for each in folder.iterdir():
            shutil.rmtree(each)
        for case in kept:
            (folder / case.name).mkdir()
    except OSError as error:
        raise StressError(f"{error.filename}: {error.strerror}") from error
    for case in kept:
        _write_case(folder / case.name, search, case, build, limits)


def _write_case(folder: Path, search: Search, case: Case, build: Build, limits: Limits) -> None:
    target = search.target
    arrays = target.arrays(case.input)
    expected = _expected(target, arrays, limits)
    for name, array in {**arrays, **{f"expected_{n}": a for n, a in expected.items()}}.items():
        output.write(folder / f"{file_name(name)}.npy", _npy(array))
    if case.interfering is not None:
        output.write(folder / WARPS, _npy(case.interfering.schedule))
        for name, array in case.interfering.given.items():
            output.write(folder / given_file(name), _npy(array))
    why = why_none(target, build.file)
    data = _case_data(folder, search, case, build)
    data["expected"] = {name: f"{file_name(f'expected_{name}')}.npy" for name in expected}
    data["program"] = None if why else "replay.cu"
    data["without_program"] = why or None
    output.write(folder / CASE, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if not why:
        variables = held(target)
        for name, array in variables.items():
            output.write(folder / symbol_file(name), _npy(array))
        source = relative(build.file, folder)
        order = (
            case.worst[0].best.outcome.schedule_dependent
            if case.worst
            else of_arrays(target, arrays, limits).schedule_dependent
        )
        output.write(
            folder / "replay.cu", program(target, arrays, expected, variables, source, order)
        )


def _npy(array: np.ndarray) -> bytes:
    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _expected(
    target: Target, arrays: Mapping[str, np.ndarray], limits: Limits
) -> dict[str, np.ndarray]:
    """What a whole launch leaves in the arrays that it writes; {} where not all of it was run."""
    if not target.is_whole:
        return {}
    found = left_behind(target, arrays, limits)
    return {
        name: found[name][: array.nbytes].view(array.dtype).reshape(array.shape)
        for name, array in arrays.items()
        if name in found and found.images[name].written
    }


def _case_data(folder: Path, search: Search, case: Case, build: Build) -> dict[str, Any]:
    target, launch, own = search.target, search.target.launch, case.interfering
    return {
        "schema": SCHEMA,
        "perflint": __version__,
        "filename": relative(build.file, folder),
        "define": list(build.define),
        "include": [relative(each, folder) for each in build.include],
        "arch": target.subject.arch,
        "kernel": target.subject.title,
        "entry": target.subject.kernel.name,
        "launch": {
            "text": target.spelt(case.input),
            "grid": list(launch.grid),
            "block": list(launch.block),
            "shared": launch.dynamic_shared,
            "arguments": [_argument(each) for each in launch.arguments],
            "symbols": [
                {"variable": s.variable, "offset": s.offset, "data": s.data.hex(), "told": s.told}
                for s in launch.symbols
            ],
        },
        "blocks": {
            "simulated": own.explored.blocks[0] if own else len(target.blocks),
            "total": launch.block_count,
        },
        "schedule": WARPS if own else SCHEDULE,
        **({"given": {name: given_file(name) for name in own.given}} if own else {}),
        "seed": search.seed,
        "generators": texts(case.input),
        "figures": case.figures(search, folder),
    }


def _argument(argument: Argument) -> dict[str, Any]:
    match argument:
        case Scalar(value=value):
            return {"kind": "scalar", "value": value}
        case Buffer(name=name, element=element):
            return {"kind": "array", "name": name, "file": f"{file_name(name)}.npy",
                    "element": element}  # fmt: skip
        case Aggregate(data=data, buffers=buffers):
            inner = [{"offset": at, "argument": _argument(each)} for at, each in buffers]
            return {"kind": "struct", "data": data.hex(), "arguments": inner}
        case Texture():
            fields = {k: v for k, v in vars(argument).items() if k != "data"}
            return {"kind": "texture", **fields, "extents": list(argument.extents)}
    raise AssertionError(argument)


def identity(target: Target, place: Place) -> str:
    """What a place is, however the lines move."""
    if place.kind == "kernel":
        return target.subject.title
    if place.kind == "access":
        site: AccessSite = target.facts.sites[place.index]
        return f"{site.kind} {site.identity}"
    return f"branch {place.index}"


def figure(search: Search, found: Worst, folder: Path) -> dict[str, Any]:
    """What a case does at a place, as JSON data."""
    at, best = span(search, found), found.best
    return {
        "objective": found.objective,
        "code": OBJECTIVES[found.objective].code,
        "metric": OBJECTIVES[found.objective].metric,
        "message": message(search, found),
        "filename": relative(at.path, folder),
        "row": at.line,
        "column": at.column,
        "place": {
            "kind": found.place.kind,
            "index": found.place.index,
            "identity": identity(search.target, found.place),
        },
        "amount": best.figure.amount,
        "over": best.figure.over,
        "most": best.figure.most,
        "ideal": best.figure.ideal,
        "value": plain(best.figure.mean),
        "random": None if found.median is None else plain(found.median),
        "identity": None if found.identity is None else plain(found.identity),
        "strategy": best.strategy,
        "try": best.attempt,
    }
