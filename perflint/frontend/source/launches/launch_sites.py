"""Launch sites: `<<<…>>>`, launches inside macros, and the runtime's launch functions.

Each alternative that host code in sight really takes (a caller with other arguments, the next
entry of a table of block sizes) becomes a launch site of its own, up to a limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

from perflint.frontend.source.host.calls.instances import complete, instance, unpacked
from perflint.frontend.source.host.calls.launch_syntax import (
    LAUNCH_LIMIT,
    UNKNOWN,
    Launch,
    launches_in,
)
from perflint.frontend.source.host.execution.told import launch_turns
from perflint.frontend.source.host.options.program_arguments import RUN_BARE
from perflint.frontend.source.host.values.branch_values import is_reached, pins_at, ways_in
from perflint.frontend.source.host.values.choices import (
    ARRIVAL,
    RUN,
    UNSET,
    Session,
    UndecidedError,
    explored,
    is_branch,
)
from perflint.frontend.source.host.values.device_properties import PROPERTIES, words
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.host.values.occupancy import is_asked
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.kernel_names import meant
from perflint.frontend.source.language.model import (
    Dim3Expression,
    LaunchSite,
    Turns,
    UnreadLaunch,
)
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.launches.asked_kernels import AskedKernels
from perflint.frontend.source.launches.callees import Unfound, callee_of
from perflint.frontend.source.launches.formulas import (
    dim3_expression,
    expression,
    launch_argument,
    on_the_way,
    standing,
    with_formulas,
)
from perflint.frontend.source.launches.host_arrays import host_data
from perflint.frontend.source.launches.overloads import like_arguments
from perflint.frontend.source.launches.reasons import unread_block
from perflint.frontend.source.launches.struct_arguments import with_fields
from perflint.frontend.source.launches.wanted_runs import Asked, contrary, run_for
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.macro_calls import expanded_uses
from perflint.frontend.source.project.sight import Project

_Evaluated = LaunchSite | UnreadLaunch

SITES_PER_LAUNCH = 16
SESSIONS_PER_LAUNCH = 24
SESSIONS_PER_FILE = 400  #: beyond it, LEAST_SESSIONS for each further launch
LEAST_SESSIONS = 4
#: What is supposed of a launch that the values in sight exclude.
NEVER = "that it is launched, though by the values in sight it is not"
#: Instances of one kernel that are named in a file, and in what macros make.
_INSTANTIATIONS, _EXPANDED = 200, 8


_RUNS = 3  #: further runs of the program that one launch is read under


class OpenLaunchError(Exception):
    """A launch hangs on what is not in sight, where only files without one are of use."""

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(path, text)
        self.path, self.text = path, text  #: of the file


def launch_sites(
    project: Project, file: File, closed: bool = False, asked: AskedKernels | None = None
) -> tuple[tuple[LaunchSite, ...], tuple[UnreadLaunch, ...], int]:
    """The launch sites of one of a project's files, in text order, and those of no known kernel.

    Those that are plainly of other kernels than the `asked` are left out; their number comes last.
    With `closed`, raises OpenLaunchError at the first that hangs on what is not in sight.
    """
    found = launches_in(file)[:LAUNCH_LIMIT]
    read = found if asked is None else [x for x in found if asked.may_be_meant(x, project)]
    result: list[LaunchSite] = []
    lost: list[UnreadLaunch] = []
    budget = SESSIONS_PER_FILE
    made: defaultdict[str, set[tuple[str, ...] | None]] = defaultdict(set)
    for launch in read:
        sessions = min(SESSIONS_PER_LAUNCH, max(budget, LEAST_SESSIONS))
        # Where a file costs too much, each kernel has one launch that is read as far as it goes.
        first = _name(launch) not in {site.kernel for site in result}
        resigns = first or sessions > LEAST_SESSIONS
        sites, used, unread = _alternatives(project, launch, sessions, resigns)
        budget -= used
        lost += [unread] if unread is not None else []
        if more := max((site.left_out for site in sites), default=0):
            count = len({(site.kernel, site.instance) for site in sites})
            reason = f"it may be one of {count + more} kernels, of which {count} are read"
            lost.append(_unread_launch(launch, reason))
        if launch.file is file.expansion:
            sites = [s for s in sites if _is_among_first(s, made[s.kernel])]
        if closed and any(site.is_open for site in sites):
            raise OpenLaunchError(file.path, file.unit.text)
        turns, program = _turns(project, launch)
        result += [replace(site, turns=turns, program=program) for site in sites]
    return tuple(result), tuple(lost), len(found) - len(read)


def _turns(project: Project, launch: Launch) -> tuple[tuple[Turns, ...] | None, Path | None]:
    """How often the program comes to a launch as it stands in the source, and which one that is."""
    if not any(child.type == "kernel_call_syntax" for child in launch.node.children):
        return None, None
    return launch_turns(standing(launch, Session(project, resigned=True)))


def _name(launch: Launch) -> str:
    """The unqualified name before a launch's template arguments."""
    return launch.callee.partition("<")[0].rpartition("::")[2].strip()


def _is_among_first(site: LaunchSite, instances: set[tuple[str, ...] | None]) -> bool:
    """Whether a launch is of one of the first instances that macros at the margin make."""
    if len(instances) < _EXPANDED:
        instances.add(site.instance)
    return site.instance in instances


def instantiations(project: Project, file: File) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(kernel, template arguments) of a file's explicit instantiations and kernels' addresses."""
    found: dict[tuple[str, tuple[str, ...]], None] = {}
    places: list[tuple[File, tuple[File, int] | None]] = [(file, None)]
    places += [(file.expansion, None)] if file.expansion is not None else []
    templates = {n for f in file.family for n, k in f.declarations.by_name.items() if k[0].template}
    for inner, call in expanded_uses(file, lambda m: any(t.text in templates for t in m.body)):
        places.append((inner, (file, call.node.start_byte)))
    for each, outer in places:
        for name, node in each.declarations.mentions:
            most = _INSTANTIATIONS if each is file else _EXPANDED
            if sum(kernel == name for kernel, _ in found) >= most:
                continue
            if not project.kernels(name, file):
                continue
            written = [each.source.text_of(n) for n in children_of(node)]
            for known in _ways(project, (each, node.start_byte), outer, written):
                found[name, known] = None
    return tuple(found)


def _ways(
    project: Project,
    place: tuple[File, int],
    outer: tuple[File, int] | None,
    written: Sequence[str],
) -> list[tuple[str, ...]]:
    """What template arguments stand for where they are written, under each set of choices."""

    def known(session: Session) -> tuple[str, ...] | None:
        around = None if outer is None else Environment(session, *outer)
        return complete(instance(written, None, (), Environment(session, *place, around)))

    first: dict[tuple[str, ...], None] = {}
    spare: dict[tuple[str, ...], None] = {}
    for session, found in explored(project, known, SESSIONS_PER_LAUNCH):
        if found is not None:
            (spare if session.spare else first)[found] = None
    return list(first) or list(spare)[:1]


def _alternatives(
    project: Project, launch: Launch, sessions: int, resigns: bool
) -> tuple[list[LaunchSite], int, UnreadLaunch | None]:
    """One launch site for every set of choices, those that say less than another left out.

    `resigns`: where none is found, what can be told without further choices is.

    Also how many of the allowed evaluations (`sessions`) it took, and the launch where none of
    them told its kernel.
    """
    found, used, lost, asked = _explored(project, launch, sessions, resigns, {})
    given: dict[object, int] = {}
    for _ in range(_RUNS):
        run = run_for(asked, given) if asked is not None else None
        if run is None or used >= sessions:
            break
        given = {RUN: run}
        better, more, _, asked = _explored(project, launch, sessions - used, resigns, given)
        used += more
        found = better or found
    if not found:
        lost = lost or _unread_launch(launch, "it hangs on too many values that are not in sight")
        return [], used, lost
    return [_with_data(with_formulas(s, project, launch, c), project, launch, c)
            for s, c in found.items()], used, None  # fmt: skip


def _explored(
    project: Project, launch: Launch, sessions: int, resigns: bool, given: Mapping[object, int]
) -> tuple[dict[LaunchSite, Mapping[object, int]], int, UnreadLaunch | None, Asked | None]:
    """As `_alternatives`, with choices that are made; each site with the choices that gave it.

    Also a branch around the launch that is not taken as the program is run.
    """
    lost: UnreadLaunch | None = None
    asked: list[Asked | None] = []  #: of the first site
    kept: dict[LaunchSite, Mapping[object, int]] = {}
    excluded: dict[LaunchSite, Mapping[object, int]] = {}  #: as the source stands, never happen
    supposed: set[frozenset[tuple[object, int]]] = set()
    used = 0
    evaluate: Callable[[Session], _Evaluated | None] = partial(_evaluate, launch)
    apart: list[Mapping[object, int]] = []  #: choices that no run makes together
    ways: Iterable[tuple[Session, _Evaluated | None]]
    ways = explored(project, evaluate, sessions, apart, given)
    deepest: Mapping[object, int] = {}
    for session, site in ways:
        used += 1
        deepest = max(deepest, session.choices, key=len)
        if isinstance(site, UnreadLaunch):
            lost = lost or site
            continue
        if site is not None and not asked:
            fresh = Session(project, session.choices)
            asked.append(contrary(ways_in(standing(launch, session), fresh)))
        if site is not None and RUN_BARE in site.supposing:
            unset = _asked_for(session, launch)
            if unset and (UNSET, unset) not in session.choices:
                choices = {**session.choices, (UNSET, unset): 0}
                site = _as_written(project, evaluate, site, choices)
                session = Session(project, choices)
        if site is not None and _happens(session, launch, site, apart):
            # One supposition that gives a block is enough: what is rarer is left out.
            way = frozenset(item for item in session.choices.items() if not is_branch(item[0]))
            if way not in supposed:
                _keep(site, session.choices, kept)
            if site.supposing and site.block.value is not None:
                supposed.add(way)
        elif site is not None and len(excluded) < SITES_PER_LAUNCH:
            _keep(site, session.choices, excluded)
        if len(kept) >= SITES_PER_LAUNCH:
            break
    found = kept
    if not kept:
        unrun = ((_as_written(project, evaluate, s, c), c) for s, c in excluded.items())
        found = {replace(site, supposing=(*site.supposing, NEVER)): c for site, c in unrun}
    if not found and lost is None and resigns:
        found = _resigned(project, evaluate, deepest)
    return dict(found), used, lost, asked[0] if asked else None


def _as_written(
    project: Project,
    evaluate: Callable[[Session], _Evaluated | None],
    site: LaunchSite,
    choices: Mapping[object, int],
) -> LaunchSite:
    """A launch that is not made as it would be: a run that does without it says nothing of it."""

    def unrun(session: Session) -> _Evaluated | None:
        with session.by_what_is_told():
            return evaluate(session)

    ways = explored(project, unrun, SITES_PER_LAUNCH, (), choices)
    return next((each for _, each in ways if isinstance(each, LaunchSite)), site)


def _with_data(
    site: LaunchSite, project: Project, launch: Launch, choices: Mapping[object, int]
) -> LaunchSite:
    """A launch site with what the host puts into the arrays that it passes, where that is read."""
    environment = standing(launch, Session(project, choices, resigned=True))
    given = unpacked(launch.arguments, environment)
    if len(given) != len(site.arguments):
        return site
    arguments = tuple(
        argument if argument.value is not None else replace(argument, data=host_data(text, there))
        for argument, (text, there) in zip(site.arguments, given, strict=True)
    )
    return replace(site, arguments=arguments)


def _resigned(
    project: Project,
    evaluate: Callable[[Session], _Evaluated | None],
    choices: Mapping[object, int],
) -> dict[LaunchSite, Mapping[object, int]]:
    """A launch that hangs on more choices than are tried: what can be told after some of them."""
    try:
        site = evaluate(Session(project, choices, resigned=True))
    except UndecidedError:
        return {}
    return {site: choices} if isinstance(site, LaunchSite) else {}


def _keep(
    site: LaunchSite, choices: Mapping[object, int], kept: dict[LaunchSite, Mapping[object, int]]
) -> None:
    """Add a site to those that say something else."""
    if not any(_says_no_more(site, other) for other in kept):
        for other in [other for other in kept if _says_no_more(other, site)]:
            del kept[other]
        kept[site] = choices


def _happens(
    session: Session, launch: Launch, site: LaunchSite, apart: list[Mapping[object, int]]
) -> bool:
    """Whether no branch on the way to the launch is excluded under the session's choices.

    Nor a size of none or a block that is too large, which the runtime refuses. `apart` gets those
    of the choices that exclude a branch.
    """
    sizes = [e.value for dim in (site.grid, site.block) for e in (dim.x, dim.y, dim.z)]
    if session.never or any(size is not None and size < 1 for size in sizes):
        return False
    if prod(size for size in sizes[3:] if size is not None) > PROPERTIES["maxThreadsPerBlock"]:
        return False
    fresh = Session(session.project, session.choices)
    for place in ways_in(standing(launch, session), fresh):
        seen = len(fresh.notes)
        if not is_reached(place):
            made = {key for kind, key, _ in fresh.notes[seen:] if kind == "choice"}
            chosen = session.choices.items()  # the way in, too: by another they may go together
            apart.append({key: at for key, at in chosen if key in made or _is_caller(key)})
            return False
    return True


def _asked_for(session: Session, launch: Launch) -> frozenset[tuple[int, str]]:
    """The variables, by function, without which the program ends before it comes to a launch.

    `-n is required`: run without arguments, it launches nothing, and what they are then is none of
    their values where it does.
    """
    asked: set[tuple[int, str]] = set()
    fresh = Session(session.project, session.choices, resigned=True)
    for place in ways_in(standing(launch, fresh), fresh):
        function, leaving = place.function, _left_by(place)
        for text, holds, where in on_the_way(place) if leaving else ():
            found = fold(text, where) if where.at in leaving else None
            if found is None or found.term is not None or bool(found.number) == holds:
                continue
            if function is not None:
                asked |= {(function.node.id, name) for name in words(text)}
    return frozenset(asked)


def _left_by(place: Environment) -> set[int]:
    """Where the conditions of branches stand that leave the function before a place."""
    body = place.body()
    regions = body.regions if body is not None else ()
    before = (r.node for r in regions if r.leaves and r.end <= place.at)
    conditions = (node.child_by_field_name("condition") for node in before)
    return {c.start_byte for c in conditions if c is not None}


def _is_caller(key: object) -> bool:
    return isinstance(key, tuple) and key[:1] == ("caller",)


def _supposed(session: Session) -> tuple[str, ...]:
    """What a launch is read supposing; what a GPU answers is not said again as a choice."""
    answered = {t for t, holds in session.stated.items() for why in session.runs
                if why.startswith(f"`{t}` is {str(holds).lower()}, ")}  # fmt: skip
    stated = ((t, holds) for t, holds in session.stated.items() if t not in answered)
    return (*session.runs, *(f"`{t}`" if holds else f"not `{t}`" for t, holds in stated))


def _says_no_more(site: LaunchSite, other: LaunchSite) -> bool:
    """Whether everything that is known of one launch is also known, and equal, in another.

    A block that the occupancy calculator gives is known: its answer only comes later. An instance
    that a call asks for is no spare one.
    """
    if is_asked(site.unread) and not is_asked(other.unread):
        return False
    if other.spare and not site.spare:
        return False
    own, others = _known(site), _known(other)
    alike = site.kernel == other.kernel and len(own) == len(others)
    return alike and all(a is None or a == b for a, b in zip(own, others, strict=True))


def _known(site: LaunchSite) -> list[object]:
    dims = (site.grid.x, site.grid.y, site.grid.z, site.block.x, site.block.y, site.block.z)
    values: list[object] = [site.instance, *(d.value for d in dims), site.shared.value]
    for argument in site.arguments:
        values += argument.known
    return values


def _unread_launch(launch: Launch, reason: str) -> UnreadLaunch:
    return UnreadLaunch(launch.span, launch.callee, launch.function, reason)


def _evaluate(launch: Launch, session: Session) -> _Evaluated:
    environment = standing(launch, session)
    for place in (environment.outer, environment):
        if place is not None:
            pins_at(place)
    callee = callee_of(launch.callee, environment)
    if isinstance(callee, Unfound):
        return _unread_launch(launch, callee.reason)
    kernel, template = callee.name, callee.template
    configuration = launch.configuration
    session.asking = False
    grid = dim3_expression(configuration[0] if configuration else UNKNOWN, environment)
    session.asking = True
    block = dim3_expression(configuration[1] if len(configuration) > 1 else UNKNOWN, environment)
    free, stated = block, set(session.stated)
    if block.value is None:
        block = _at_its_bound(block, environment)
    bounding = set(session.stated) - stated
    session.asking = False
    shared = expression(configuration[2] if len(configuration) > 2 else "0", environment)
    given = unpacked(launch.arguments, environment)
    arguments = tuple(launch_argument(text, there) for text, there in given)
    scope = launch.file.declarations.namespace_at(environment.at)
    kernels = meant(callee.path, scope, session.project.kernels(kernel, launch.file))
    kernels = like_arguments(kernels, launch.arguments, environment)
    target = _target(kernels, len(given))
    if target is not None and len(target.parameters) == len(given):
        every = zip(arguments, target.parameters, given, strict=True)
        types = [t.name for t in target.template if t.is_type]
        arguments = tuple(with_fields(a, p, types, there) for a, p, (_, there) in every)
    found: tuple[str | None, ...] | None = None
    if template is not None or (target is not None and target.template):
        found = instance(template or (), target, launch.arguments, environment, callee.place)
    known = None if found is None else complete(found)
    return LaunchSite(
        launch.span,
        kernel,
        template,
        grid,
        block,
        shared,
        arguments,
        launch.function,
        known,
        _supposed(session),
        session.spare,
        () if known is not None else found or (),
        unread="" if block.value is not None else unread_block(block, environment),
        left_out=session.left_out,
        unbounded=free if free is not block else None,
        bounding=tuple(t for each in bounding for t in (f"`{each}`", f"not `{each}`")),
        aside=_comes_aside(launch, session),
        turned=any(isinstance(k, tuple) and k[0] in ("loop", ARRIVAL) for k in session.choices),
        scope=scope,
        qualified=_common(k.qualified for k in kernels),
        overload=_overload(target, session.project.kernels(kernel, launch.file)),
    )


def _comes_aside(launch: Launch, session: Session) -> bool:
    """Whether values came from a file with a `main` from which no call leads to the launch."""
    mains = [e.file for e in session.entered.values() if e.file.has_main]
    function = standing(launch, session).function
    if function is None or all(f.path == launch.file.path for f in mains):
        return False
    reached = session.project.programs(function, several=False)
    return not any(f.path == main.path for f in reached for main in mains)


def _common(names: Iterable[str]) -> str:
    """The one name among them; "" where there are several, or none."""
    different = set(names)
    return different.pop() if len(different) == 1 else ""


def _overload(target: Function | None, namesakes: Sequence[Function]) -> tuple[str, ...]:
    """The types of a kernel's parameters, where others have its name; else ()."""
    if target is None:
        return ()
    own = tuple(p.written for p in target.parameters)
    same = (k for k in namesakes if k.qualified == target.qualified)
    return own if any(tuple(p.written for p in k.parameters) != own for k in same) else ()


def _target(kernels: Sequence[Function], count: int) -> Function | None:
    """The kernel that a launch with so many arguments means; None if that is not plain."""
    found = [k for k in kernels if len(k.parameters) == count] or list(kernels)
    same = {tuple(p.written for p in k.template) for k in found}
    return found[0] if len(same) == 1 else None


def _at_its_bound(block: Dim3Expression, environment: Environment) -> Dim3Expression:
    """A block with `min(128, w / 8)` in it: 128, supposing that w is large enough.

    A grid is not read so: of `min(65535, blocks)` the bound is the rare case.
    """
    with environment.session.at_bounds():
        bounded = dim3_expression(block.text, environment)
    return bounded if bounded.value is not None else block
