"""What `perflint check` would try of self-verifying programs, against what they really launch.

    python benchmarks/launches.py COLLECTIONS [--keep FOLDER] [--only NAME] [--seconds N]

COLLECTIONS is the folder that holds the clones (of those that are not there, nothing is said):

    git clone https://github.com/NVIDIA/cuda-samples
    git clone https://github.com/cavazos-lab/PolyBench-ACC

Each program of `programs.toml` is compiled by nvcc and run on the simulator with its launches kept.
What `check` would try of the same sources, told the program's real command line, is held against
them: block, grid, dynamic shared bytes, and each scalar argument. A field of a launch is *equal* if
a condition of the kernel has the recorded value there, a launch if one condition has all of them at
once. Shares are given of launches, and of kernels, where each kernel counts once however often it
was launched with other numbers; `by luck` are launches of which a field is equal, but was invented
where that condition has it. Each difference is named, with its cause and what is written at the
launch. `check` tries a loop's first, middle and last turn: what it would try of *every* turn is
held against the launches, too, and the rows "any turn" count a field as equal that is equal there.
The rows "apart" leave out, besides, what no reading can mend: what the simulated GPU answers
otherwise than an A100, and sizes from data files.

A program that does not end in time is judged by its launches until then. With --keep, programs and
what was recorded of them stay in a folder, so that a second run neither builds nor runs them.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.launch_table import DEVICE, FILE, TURN, Compared, causes, differences, shown, table
from benchmarks.programs import Program, edited, programs
from benchmarks.recorded_launches import Recorded, recorded
from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError
from perflint.frontend import translation_unit
from perflint.frontend.mangling import nested_name
from perflint.frontend.source.host.values import choices, loop_counters, loops
from perflint.frontend.source.language.model import Expression, LaunchArgument, LaunchSite
from perflint.frontend.source.language.terms import Root
from perflint.frontend.source.launches import launch_sites
from perflint.frontend.source.project import sight
from perflint.frontend.source.project.command_lines import CommandLine
from perflint.grammar.model import TYPE_SIZE
from perflint.lint import experiment
from perflint.lint.check_kernel import tried_launches
from perflint.lint.check_run import Run
from perflint.lint.experiment import Condition
from perflint.lint.opened import checked_kernels, opened
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load
from perflint.lint.subject import Subject
from perflint.lint.translation_units import compile_unit, read_facts, units
from perflint.sim.launch import Scalar

#: Turns of a loop that are read where every turn is asked for.
TURNS = 512
#: Functions that read a file, by their names.
_READERS = r"\w*(?:[Ll]oad|[Rr]ead|[Ss]canf)\w*"
#: How far a float and what was folded for it may be apart by rounding.
CLOSE = {"f64": 1e-12, "f32": 1e-6, "f16": 1e-3}


@dataclass(frozen=True, eq=False)
class Tried:
    """A kernel as `check` would try it."""

    subject: Subject
    conditions: tuple[Condition, ...]


# --- what check would try -------------------------------------------------------------------------


def tried(program: Program, keep: Path) -> tuple[dict[str, Tried], dict[str, str]]:
    """By the entry's name, what would be tried; and of other kernels, why nothing would be.

    Those of which nobody says why are of a file that is not compiled, or no instance is.
    """
    sources = edited(program, keep / f"{program.file}.src")
    paths = [program.folder / s for s in sources if s.endswith(".cu")]
    options = CheckOptions(
        frozenset(),
        define=tuple(f[2:] for f in program.flags if f.startswith("-D")),
        include=(
            *(program.folder / f[2:] for f in program.flags if f.startswith("-I")),
            program.folder,
        ),
        root=program.folder,
    )
    found: dict[str, Tried] = {}
    missing: dict[str, str] = {}
    asked = units(paths, options).units
    with told(program):
        alone = {u.path: f for u in asked if (f := read_facts(u, options.root)) is not None}
        texts = {path: next(iter(f.values())).text for path, f in alone.items()}
        both = ((u.path, read_facts(u, options.root, texts)) for u in asked)
        facts = {path: f for path, f in both if f is not None}
    run = Run(options, load([]), facts, options.root)
    for unit in asked:
        compilation = compile_unit(unit, options, run.root, facts.get(unit.path))
        missing |= {lost.name: f"not compiled: {lost.reason}" for lost in compilation.lost}
        file = opened(compilation, unit)
        errors = [error.message for error in compilation.errors]
        if file.fault:
            errors = [str(file.fault)]
        written = {k.name for f in compilation.facts.values() for k in f.kernels}
        why = (
            f"its file is not compiled: {errors[0]}" if errors else "this instance is not compiled"
        )
        missing = dict.fromkeys(written, why) | missing
        for _, make in checked_kernels(file, unit, run):
            subject = make()
            try:
                found[subject.kernel.name] = Tried(subject, conditions(subject))
            except AnalysisError as error:
                missing[subject.kernel.name] = f"not analysed: {error}"
    return found, missing


@contextmanager
def told(program: Program) -> Iterator[None]:
    """While it lasts, all sources are read as those of a program with its real command line."""
    line = CommandLine(tuple(program.arguments), program.folder, 1, " ".join(program.arguments))
    with mock.patch.object(sight, "command_lines", lambda source, root: (line,)):
        yield


@contextmanager
def every_turn() -> Iterator[None]:
    """While it lasts, all turns of the loops around launches are read, as far as `TURNS` goes."""
    with ExitStack() as stack:
        for module, name, value in (
            (loop_counters, "turns_tried", lambda count: list(range(min(count, TURNS)))),
            (loops, "turns_tried", lambda count: list(range(min(count, TURNS)))),
            (choices, "ALTERNATIVES", TURNS),
            (launch_sites, "SITES_PER_LAUNCH", 4 * TURNS),
            (launch_sites, "SESSIONS_PER_LAUNCH", 8 * TURNS),
            (launch_sites, "SESSIONS_PER_FILE", 1 << 20),
            (experiment, "MAX_LAUNCH_SITES", 4 * TURNS),
        ):
            stack.enter_context(mock.patch.object(module, name, value))
        translation_unit.forget()  # what was read with fewer turns is kept
        yield
    translation_unit.forget()


def conditions(subject: Subject) -> tuple[Condition, ...]:
    """What a kernel would be tried with."""
    found, _ = tried_launches(subject, analyse(subject.module, subject.kernel))
    return tuple(condition for plan in found for condition in plan.conditions)


# --- one against the other ------------------------------------------------------------------------


def compared(
    program: Program,
    real: Iterable[Recorded],
    mine: Mapping[str, Tried],
    missing: Mapping[str, str],
) -> Iterator[Compared]:
    """Every field of every launch of the program's own kernels."""
    own = {nested_name(name)[-1] for name in (*mine, *missing)}
    for launch in real:
        plain = nested_name(launch.kernel)[-1]
        if plain not in own:
            continue  # a library's
        known = mine.get(launch.kernel) or _alone(plain, mine)
        if known is None:
            why = missing.get(launch.kernel) or missing.get(plain)
            yield from _nothing(program, launch, plain, why or "this instance is not compiled")
        else:
            yield from _of_launch(program, launch, known)


def _alone(plain: str, mine: Mapping[str, Tried]) -> Tried | None:
    """The only kernel of a name: of an anonymous namespace, compilers name entries differently."""
    alike = [t for name, t in mine.items() if nested_name(name)[-1] == plain]
    only = len(alike) == 1 and not alike[0].subject.origin.template_arguments
    return alike[0] if only else None


def _nothing(program: Program, launch: Recorded, name: str, why: str) -> Iterator[Compared]:
    texts = {"block": _text(launch.block), "grid": _text(launch.grid), "shared": str(launch.shared)}
    for field, text in (*texts.items(), ("launch", "")):
        yield Compared(program.name, name, field, "", False, False, text, (), why, "")
    for number, (_, value) in launch.scalars.items():
        yield Compared(
            program.name, name, "scalar", f"#{number}", False, False, _number(value), (), why, ""
        )


def _of_launch(program: Program, launch: Recorded, known: Tried) -> Iterator[Compared]:
    subject, found = known.subject, known.conditions
    sites = subject.launches
    row = partial(Compared, program.name, subject.title)
    for field, value, of in (
        ("block", launch.block, lambda c: tuple(c.launch.block)),
        ("grid", launch.grid, lambda c: tuple(c.launch.grid)),
        ("shared", launch.shared, lambda c: c.launch.dynamic_shared),
    ):
        values = [of(c) for c in found]
        written = _unique(_written(field, site) for site in sites)
        hits = [c for c, v in zip(found, values, strict=True) if v == value]
        why = "" if hits else _cause(field, known)
        luck = bool(hits) and not any(_is_read(field, c) for c in hits)
        texts = shown(map(_text, values))
        yield row(field, "", bool(hits), luck, _text(value), texts, why, written)
    kept = {n: v for n, v in launch.scalars.items() if _is_scalar(n, found)}
    for number, (type_, scalar) in kept.items():
        numbers = [_value(c, number) for c in found]
        hits = [c for c, n in zip(found, numbers, strict=True) if _same(type_, scalar, n)]
        yield row(
            "scalar",
            subject.parameters[number],
            bool(hits),
            bool(hits) and not any(_is_read("scalar", c, number) for c in hits),
            _number(scalar),
            shown(_number(n) for n in numbers if n is not None),
            "" if hits else _cause("scalar", known, number),
            _unique(s.arguments[number].text for s in sites if number < len(s.arguments)),
        )
    whole = any(
        tuple(c.launch.block) == launch.block
        and tuple(c.launch.grid) == launch.grid
        and c.launch.dynamic_shared == launch.shared
        and all(_same(t, v, _value(c, n)) for n, (t, v) in kept.items())
        for c in found
    )
    yield row("launch", "", whole, False, "", (), "", "")


def _cause(field: str, known: Tried, number: int = -1) -> str:
    """Why a field differs, as far as what is tried tells."""
    sites = known.subject.launches
    if not sites:
        return "no launch was found"
    roots = {root for site in sites for root in _roots_of(field, site, number)}
    if any(root.why for root in roots):
        return DEVICE
    if files := sorted(f for root in roots if (f := _file_reader(known.subject, root.name))):
        return f"{FILE}: {', '.join(files)}"
    if any(_is_turned(field, site, number) for site in sites):
        return TURN
    if field == "block" and any(c.shape.assumed for c in known.conditions):
        return "the block is not read"
    read = all(_is_read(field, c, number) for c in known.conditions)
    return "folded to another value" if read else "invented, for it is not folded"


def _parts(field: str, site: LaunchSite, number: int) -> Sequence[Expression | LaunchArgument]:
    """The numbers of a field."""
    if field == "scalar":
        return site.arguments[number : number + 1]
    if field == "shared":
        return [site.shared]
    dims = site.grid if field == "grid" else site.block
    return [dims.x, dims.y, dims.z]


def _roots_of(field: str, site: LaunchSite, number: int) -> Iterator[Root]:
    """The values that reading cannot tell of which a field is computed."""
    for part in _parts(field, site, number):
        if part.value is None and part.term is not None:
            yield from (site.roots[r] for r in sorted(part.term.roots))


def _is_turned(field: str, site: LaunchSite, number: int) -> bool:
    """Whether a loop around a launch has more turns, in which a field that is read may differ."""
    parts = _parts(field, site, number)
    texts = [part.text for part in parts]
    texts += [_written(field, site)] if field in ("grid", "block") else []  # as it stands there
    varies = any(re.search(r"\b[a-z_]\w*", text) for text in texts)
    return site.turned and varies and all(part.value is not None for part in parts)


def _file_reader(subject: Subject, name: str) -> str:
    """The function that sets a variable to what it finds in a file; "" if none does."""
    last = re.split(r"\.|->", name)[-1]
    if not last.isidentifier():
        return ""
    # `PreLoadBmp(path, &ImgWidth, &ImgHeight)` is where `Size.width` comes from.
    given = rf"\b({_READERS})\s*\([^;{{}}]*&\s*(?:\w+(?:\.|->))*\w*{last}\b"
    reader = re.compile(given, re.IGNORECASE)
    found = (reader.search(facts.text) for facts in subject.facts.values())
    return next((match[1] for match in found if match), "")


def _is_read(field: str, condition: Condition, number: int = -1) -> bool:
    """Whether a condition has a field from the source, and did not invent it."""
    told = condition.origins
    if condition.shape.span is None:
        return False
    if field == "scalar":
        return number in told.values and told.values[number].known
    if field == "block":
        return not condition.shape.assumed
    return all(o.known for o in (told.grid if field == "grid" else (told.shared,)))


def _is_scalar(number: int, found: Sequence[Condition]) -> bool:
    """Whether a parameter is a number to `check`, too: pointers may be null."""
    return any(_value(c, number) is not None for c in found)


def _value(condition: Condition, number: int) -> int | float | None:
    given = condition.launch.arguments
    argument = given[number] if number < len(given) else None
    return argument.value if isinstance(argument, Scalar) else None


def _same(type_: str, real: int | float, other: int | float | None) -> bool:
    """Whether two values of a type are equal: integers as bits, floats as they are rounded."""
    if other is None:
        return False
    if type_ in CLOSE:
        return math.isclose(real, other, rel_tol=CLOSE[type_], abs_tol=CLOSE[type_] ** 2)
    bits = 8 * TYPE_SIZE[type_]
    return not (int(real) - int(other)) % (1 << bits)


def _written(field: str, site: object) -> str:
    text = getattr(site, field).text
    return str(text)


def _number(value: int | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _text(value: object) -> str:
    return "×".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _unique(texts: Iterable[str]) -> str:
    return " | ".join(" ".join(t.split()) for t in shown(texts))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder to keep programs and records in")
    parser.add_argument("--only", help="programs whose name matches this regular expression")
    parser.add_argument("--seconds", type=float, default=30, help="time of one program's run")
    parser.add_argument("--output", type=Path, help="the rows as JSON lines, as they come")
    options = parser.parse_args()
    keep = (options.keep or Path(tempfile.mkdtemp(prefix="perflint-launches-"))).resolve()
    keep.mkdir(parents=True, exist_ok=True)
    rows: list[Compared] = []
    for program in programs(options.collections.resolve()):
        if not program.folder.is_dir() or not re.search(options.only or "", program.name):
            continue
        real = recorded(program, keep, options.seconds)
        if isinstance(real, str):
            print(f"{program.name}: left out: {real}", flush=True)
            continue
        found = list(compared(program, real, *tried(program, keep)))
        if any(row.cause == TURN for row in found):
            with every_turn():
                every = compared(program, real, *tried(program, keep))
            found = [
                replace(row, any_turn=other.equal) for row, other in zip(found, every, strict=True)
            ]
        rows += found
        for line in differences(found):
            print(line, flush=True)
        if options.output:
            with options.output.open("a") as file:
                file.writelines(json.dumps(asdict(row)) + "\n" for row in found)
    print(f"\n{causes(rows)}\n\n{table(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
