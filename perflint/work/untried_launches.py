"""Launches of kernels that are not tried: as they are read, and why nothing is tried.

What stands in the source does not hang on whether the kernel compiles. Numbers that are computed of
what reading cannot tell are left open, as no world is tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base.records import dataclass
from perflint.frontend.nvrtc.templates import MOST
from perflint.frontend.source.host.calls.lambdas import unnamed
from perflint.frontend.source.language.evaluation import evaluate
from perflint.frontend.source.language.model import (
    Dim3Expression,
    Expression,
    LaunchArgument,
    LaunchSite,
    SourceFacts,
    SourceKernel,
)
from perflint.lint.check_run import Facts
from perflint.lint.launch_text import spell_dim3
from perflint.lint.world_model import COMPUTED, READ, Launching, World, root_of
from perflint.lint.worlds import worlds
from perflint.work.launch_listing import Identity, KernelLaunches, Quantity, Tried, identity

#: Where a number comes from of which nothing is known, and none is invented.
OPEN = "open"
OTHERWISE = "nothing that compiled is the kernel as it is launched here"


def with_untried(
    found: Sequence[KernelLaunches], known: Mapping[Path, Facts]
) -> list[KernelLaunches]:
    """What was found, and the launches of some files that are listed under no kernel.

    `known` are, by the file given, the facts of itself and of what it includes. Launches of a
    kernel that is said not to be tried are listed with it.
    """
    told = frozenset[Identity]().union(*(kernel.own for kernel in found))
    places = {(path, line) for path, line, _ in told}
    facts = _as_included(known.values())
    untold = _Untold(tuple(found), tuple(k for f in facts for k in f.kernels))
    placed: defaultdict[int, list[Tried]] = defaultdict(list)
    others: dict[KernelLaunches, None] = {}
    for file in facts:
        for site in file.launches:
            if identity(site) in told or site.spare:
                continue
            index, reason = untold.lost(site), untold.reason(site)
            if index is None and reason == OTHERWISE and identity(site)[:2] in places:
                continue  # it is listed as another instance
            read = as_read(site, untold.definition(site))
            if index is not None:
                placed[index].append(read)
            else:
                place = (site.span.path, site.span.line)
                more = KernelLaunches(site.kernel, *place, (read,), reason, elsewhere=True)
                others[more] = None
        for launch in file.unread:
            reason = f"the kernel that is launched here cannot be told: {launch.reason}"
            place = (launch.span.path, launch.span.line)
            others[KernelLaunches(launch.text, *place, reason=reason, elsewhere=True)] = None
    whole = [
        replace(kernel, launches=tuple(dict.fromkeys(placed[index]))) if index in placed else kernel
        for index, kernel in enumerate(found)
    ]
    return [*whole, *others]


def _as_included(known: Iterable[Facts]) -> list[SourceFacts]:
    """The facts of each file in sight: of a header, as a file sees it that includes it.

    Alone, one of methods may not see their class.
    """
    every: dict[Path, SourceFacts] = {}
    for facts in known:
        for at, (path, each) in enumerate(facts.items()):  # the file given comes first
            if at or path not in every:
                every[path] = each
    return list(every.values())


@dataclass(frozen=True)
class _Untold:
    """What is known of the kernels of launches that are listed under none."""

    found: tuple[KernelLaunches, ...]
    kernels: tuple[SourceKernel, ...]  #: all in sight

    def definition(self, site: LaunchSite) -> SourceKernel | None:
        """The kernel of a launch, if it is in sight and takes as many arguments."""
        count = len(site.arguments)
        same = [k for k in self.kernels if k.name == site.kernel and site.may_mean(k)]
        return next((k for k in same if len(k.parameters) == count), None)

    def lost(self, site: LaunchSite) -> int | None:
        """The number of the entry that says why a launch's kernel is not tried."""
        named = [
            number
            for number, kernel in enumerate(self.found)
            if kernel.reason and kernel.title.partition("<")[0] == site.kernel
        ]
        near = [n for n in named if self.found[n].path == site.span.path]
        return next(iter(near or named), None)

    def reason(self, site: LaunchSite) -> str:
        """Why nothing is tried of a launch whose kernel nothing else is said of."""
        definers = {k.span.path for k in self.kernels if k.name == site.kernel}
        if not definers:
            return "nothing in sight that is compiled defines the kernel that is launched here"
        if why := unnamed(site.instance or ()):
            return f"the kernel is not compiled as it is launched here: {why}"
        compiled = Counter(k.title.partition("<")[0] for k in self.found if not k.reason)
        if compiled[site.kernel] >= MOST and site.instance is not None:
            return f"{MOST} instances of the kernel are compiled, and this is none of them"
        broken = {k.path for k in self.found if k.reason and not k.title}
        if not compiled[site.kernel] and broken & {*definers, site.span.path}:
            return "the file that holds it is not compiled"
        return OTHERWISE


def as_read(site: LaunchSite, kernel: SourceKernel | None) -> Tried:
    """A launch as the source tells it; what hangs on what is not in sight is open."""
    world = worlds(Launching(site.roots, {}, site.requirements, (), (), 1, ()))[0]
    names = [p.name for p in kernel.parameters] if kernel is not None else []
    return Tried(
        (site.span.path, site.span.line),
        tuple(_quantities(site, names, world)),
        (),
        site.supposing,
    )


def _quantities(site: LaunchSite, names: Sequence[str], world: World) -> Iterator[Quantity]:
    yield _extents("grid", site.grid, site, world)
    yield _extents("block", site.block, site, world)
    yield _number("shared", site.shared, site, world)
    for index, argument in enumerate(site.arguments):
        name = names[index] if index < len(names) and names[index] else f"argument {index + 1}"
        if argument.allocation is not None:
            size = f"{argument.allocation:,} bytes"
            yield Quantity(name, size, READ, text=argument.text)
        else:
            yield _number(name, argument, site, world)


def _number(
    name: str, written: Expression | LaunchArgument, site: LaunchSite, world: World
) -> Quantity:
    value = _value(written, site, world)
    if value is not None:
        text = "" if written.text == str(value) else written.text
        return Quantity(name, str(value), READ, text=text)
    of = _of([written], site) if root_of(written.term) is None else ()
    return Quantity(name, "?", COMPUTED if of else OPEN, of, text=written.text)


def _extents(name: str, written: Dim3Expression, site: LaunchSite, world: World) -> Quantity:
    every = (written.x, written.y, written.z)
    values = [_value(each, site, world) for each in every]
    if all(isinstance(v, int) for v in values):
        x, y, z = (int(v) for v in values if v is not None)
        return Quantity(name, spell_dim3((x, y, z)), READ)
    while len(values) > 1 and values[-1] == 1:
        values.pop()
    shown = ", ".join("?" if v is None else str(v) for v in values)
    of = _of([e for e, v in zip(every, values, strict=False) if v is None], site)
    shown = f"({shown})" if len(values) > 1 else shown
    text = _spelled(every)
    if not of or "".join(text.split()) == "".join(written.text.split()):
        text = written.text
    return Quantity(name, shown, COMPUTED if of else OPEN, of, text=text)


def _spelled(extents: Sequence[Expression]) -> str:
    texts = [e.text for e in extents]
    while len(texts) > 1 and texts[-1] == "1":
        texts.pop()
    return ", ".join(texts)


def _value(
    written: Expression | LaunchArgument, site: LaunchSite, world: World
) -> int | float | None:
    """The number, if nothing of it is invented."""
    if written.term is None:
        return written.value
    if not world.origin(written.term, site.roots).known:
        return None
    return evaluate(written.term, site.roots, world.values)


def _of(written: Iterable[Expression | LaunchArgument], site: LaunchSite) -> tuple[str, ...]:
    """The roots that numbers hang on, by their names."""
    used = sorted({r for e in written if e.term is not None for r in e.term.roots})
    return tuple(dict.fromkeys(site.roots[r].name for r in used))
