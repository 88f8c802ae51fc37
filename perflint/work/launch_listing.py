"""What `check` would try each kernel of a file with, and where every number of that comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path

from perflint.analysis.model import AnalysisError
from perflint.base.records import dataclass
from perflint.frontend.model import Compilation
from perflint.frontend.source.host.values.device_properties import PROPERTIES
from perflint.frontend.source.language.model import HostData, LaunchSite
from perflint.frontend.source.launches.launch_sites import NEVER
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.lint.check_kernel import tried_launches
from perflint.lint.check_run import Run
from perflint.lint.experiment import Condition, Plan
from perflint.lint.field_values import StructValue
from perflint.lint.launch_text import UNKNOWN, spell_dim3, spell_launch, spell_number
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.told_arrays import analysed
from perflint.lint.translation_units import Unit, compile_unit
from perflint.lint.world_model import ASSUMED, COMPUTED, Origin
from perflint.sim.device_runtime import linked
from perflint.sim.launch import Aggregate, Buffer, Scalar
from perflint.work.filecheck import internal
from perflint.work.task import tell

#: A launch's file, line and template arguments.
Identity = tuple[Path, int, tuple[str, ...] | None]


@dataclass(frozen=True)
class Quantity:
    """One number of a launch."""

    name: str  #: `grid`, `block`, `shared`, or a parameter's name
    value: str
    origin: str  #: `read`, `computed`, `assumed`, or `open` where nothing is tried
    of: tuple[str, ...] = ()  #: what it is computed of
    why: str = ""
    text: str = ""  #: as the source writes it


@dataclass(frozen=True)
class Tried:
    """One launch that a kernel is tried with; as it is read, of a kernel that is not tried."""

    place: tuple[Path, int] | None  #: the launch site
    quantities: tuple[Quantity, ...]  #: in its primary world
    worlds: tuple[str, ...]  #: all its worlds, as `--launch` takes them
    supposing: tuple[str, ...] = ()
    assumed: str = ""  #: why its block is assumed
    broken: tuple[str, ...] = ()  #: conditions of the host code that nothing tried meets
    also: tuple[tuple[Path, int], ...] = ()  #: other launch sites that make the same launch


@dataclass(frozen=True)
class KernelLaunches:
    """A kernel and what it is tried with."""

    title: str
    path: Path
    line: int
    launches: tuple[Tried, ...] = ()
    reason: str = ""  #: why nothing is tried; the launches are those that are read
    left_out: int = 0  #: launches that differ from those tried, and are not
    #: launches of which nothing is tried, where others are: where they stand, and why not
    unread: tuple[tuple[Path, int, str], ...] = ()
    elsewhere: bool = False  #: the place is a launch's; the kernel itself is not in sight
    #: every launch that is its: where it stands, and its template arguments
    own: frozenset[Identity] = frozenset()


@dataclass(frozen=True)
class Listing:
    """What processes do to the files, by number. Never raises."""

    units: tuple[Unit, ...]
    run: Run

    def __call__(self, number: int) -> tuple[KernelLaunches, ...]:
        unit = self.units[number]
        tell(str(unit.path))
        try:
            return tuple(_of_file(unit, self.run))
        except Exception as error:  # a fault of ours must not cost the other files
            return (KernelLaunches("", unit.path, 1, reason=internal(error)),)


def _of_file(unit: Unit, run: Run) -> Iterator[KernelLaunches]:
    if unit.fault:
        yield KernelLaunches("", unit.path, 1, reason=unit.fault)
        return
    compilation = run.compiled.get(unit) or compile_unit(
        unit, run.options, run.root, run.facts.get(unit.path)
    )
    for lost in compilation.lost:
        yield KernelLaunches(lost.name, lost.span.path, lost.span.line, reason=lost.reason)
    for error in compilation.errors:
        yield KernelLaunches("", error.path, max(1, error.line), reason=error.message)
    if compilation.ptx is None:
        return
    try:
        module = linked(parse(compilation.ptx, str(unit.path)))
    except PtxSyntaxError as error:
        yield KernelLaunches("", unit.path, error.line, reason=str(error))
        return
    yield from _of_module(unit, module, compilation, run)


def _of_module(
    unit: Unit, module: Module, compilation: Compilation, run: Run
) -> Iterator[KernelLaunches]:
    made = subjects(unit, module, compilation, run, dict, None)
    for span, make in made:
        if compilation.wanted is not None and span and span.path not in compilation.wanted:
            continue
        subject = make()
        path, line = (span.path, span.line) if span else (unit.path, 1)
        try:
            facts, told = analysed(subject)
        except AnalysisError as error:
            yield KernelLaunches(subject.title, path, line, reason=str(error))
            continue
        plans, left_out = tried_launches(subject, facts, told)
        launches = tuple(_tried(subject, plan, told) for plan in plans)
        unread = tuple(_unread(subject, plans))
        own = frozenset(map(identity, subject.launches))
        yield KernelLaunches(subject.title, path, line, launches, "", left_out, unread, own=own)


def identity(site: LaunchSite) -> Identity:
    """What tells a launch from others."""
    return site.span.path, site.span.line, site.instance


def _unread(subject: Subject, plans: Sequence[Plan]) -> Iterator[tuple[Path, int, str]]:
    """The launches that nothing is tried of, where others of the kernel are."""
    tried = {plan.shape.span for plan in plans} | {span for plan in plans for span in plan.also}
    if tried == {None}:
        return  # what is assumed instead says why
    missing = {
        s.span: why for s in subject.launches if s.span not in tried and (why := _untried(s))
    }
    for span, why in sorted(missing.items()):
        yield span.path, span.line, why


def _untried(site: LaunchSite) -> str:
    """Why nothing is tried of a launch beside others that are; "" if it is only left out."""
    if site.unread:
        return f"its block could not be read: {site.unread}"
    threads = prod(site.block.value or ())
    if threads > PROPERTIES["maxThreadsPerBlock"]:
        made = ", and it is not made" if NEVER in site.supposing else ""
        return f"with the values in sight its block has {threads:,} threads{made}"
    return ""


def _tried(subject: Subject, plan: Plan, data: Mapping[int, HostData]) -> Tried:
    first, known = plan.conditions[0], plan.shape
    sized = [c for c in plan.conditions if not c.identity and not c.unit_stride]
    worlds = dict.fromkeys(_spelled(subject, condition) for condition in sized)
    place = None if known.span is None else (known.span.path, known.span.line)
    return Tried(
        place,
        tuple(_quantities(subject, first, known.argument_texts, data)),
        tuple(worlds),
        known.supposing,
        known.assumed,
        plan.broken,
        tuple((span.path, span.line) for span in plan.also),
    )


def _quantities(
    subject: Subject, condition: Condition, texts: Sequence[str], data: Mapping[int, HostData]
) -> Iterator[Quantity]:
    launch, told = condition.launch, condition.origins
    assumed = Origin(ASSUMED) if condition.shape.assumed else None
    yield _quantity("grid", spell_dim3(launch.grid), _together(told.grid))
    yield _quantity("block", spell_dim3(launch.block), assumed or _together(told.block))
    yield _quantity("shared", str(launch.dynamic_shared), told.shared)
    for index, (name, argument) in enumerate(
        zip(subject.parameters, launch.arguments, strict=True)
    ):
        text = texts[index] if index < len(texts) else ""
        if isinstance(argument, Scalar):
            yield _quantity(
                name, spell_number(argument.value), told.values.get(index, UNKNOWN), text
            )
        elif isinstance(argument, Buffer):
            size = argument.size
            known = Origin() if index in condition.shape.allocations else Origin(COMPUTED)
            shown = "array" if size is None else f"{size:,} bytes"
            shown += f": {data[index].text}" if index in data else ""
            yield _quantity(name, shown, UNKNOWN if size is None else known, text)
        elif isinstance(argument, Aggregate):
            yield from _struct(name, told.structs.get(index, StructValue(whole=False)), text)
        else:
            yield _quantity(name, type(argument).__name__.lower(), UNKNOWN, text)


def _struct(name: str, struct: StructValue, text: str) -> Iterator[Quantity]:
    """What is known of a struct, field by field, and whether anything is missing."""
    if not struct.whole:
        yield _quantity(name, "struct", UNKNOWN, text)
    for each in struct.fields:
        value = f"{each.allocation:,} bytes" if each.number is None else spell_number(each.number)
        yield _quantity(f"{name}.{each.path}", value, each.origin)


def _together(origins: Sequence[Origin]) -> Origin:
    """Where the extents of a grid or block come from: what is known least of one holds for all."""
    unknown = [o for o in origins if not o.known]
    if not unknown:
        return next((o for o in origins if o.why), Origin())
    of = tuple(dict.fromkeys(name for o in unknown for name in o.of))
    kinds = {o.kind for o in unknown}
    return Origin(COMPUTED if COMPUTED in kinds and of else ASSUMED, of)


def _quantity(name: str, value: str, origin: Origin, text: str = "") -> Quantity:
    return Quantity(name, value, origin.kind, origin.of, origin.why, text)


def _spelled(subject: Subject, condition: Condition) -> str:
    values = {
        name: (argument.value, Origin())
        for name, argument in zip(subject.parameters, condition.launch.arguments, strict=True)
        if isinstance(argument, Scalar)
    }
    return spell_launch(subject.title, condition.launch, values)


def counts(found: Sequence[KernelLaunches]) -> Mapping[str, int]:
    """How many launches were read, read in part, and assumed; and of kernels that are not tried."""
    every = [launch for kernel in found if not kernel.reason for launch in kernel.launches]
    assumed = sum(bool(launch.assumed) for launch in every)
    whole = sum(all(q.origin == "read" for q in launch.quantities) for launch in every)
    return {
        "kernels": sum(bool(kernel.title) and not kernel.elsewhere for kernel in found),
        "launches": len(every),
        "read": whole,
        "in part": len(every) - assumed - whole,
        "assumed": assumed,
        "not tried": sum(len(kernel.launches) for kernel in found if kernel.reason),
    }
