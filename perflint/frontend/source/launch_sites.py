"""Launch sites: `<<<…>>>`, launches inside macros, and the runtime's launch functions.

Each alternative that host code in sight really takes (a caller with other arguments, the next
entry of a table of block sizes) becomes a launch site of its own, up to a limit.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.frontend.source import c_types
from perflint.frontend.source.allocations import allocation_of
from perflint.frontend.source.c_types import UINT, Value
from perflint.frontend.source.choices import Session, explored, is_branch
from perflint.frontend.source.constant_folding import fold
from perflint.frontend.source.declarations import Function
from perflint.frontend.source.environment import Environment
from perflint.frontend.source.files import File
from perflint.frontend.source.instances import complete, instance
from perflint.frontend.source.launch_syntax import (
    LAUNCH_LIMIT,
    UNKNOWN,
    Launch,
    expanded_uses,
    kernel_name,
    launches_in,
)
from perflint.frontend.source.model import (
    Dim3Expression,
    Expression,
    LaunchArgument,
    LaunchSite,
    SourceFacts,
    SourceKernel,
)
from perflint.frontend.source.neighbours import related
from perflint.frontend.source.pinned import is_reached, pins_at
from perflint.frontend.source.project import Project
from perflint.frontend.source.reaching import PARAMETER
from perflint.frontend.source.tokens import bare, spell, split, tokenize
from perflint.frontend.source.trees import children_of

if TYPE_CHECKING:
    pass

SITES_PER_LAUNCH = 16
SESSIONS_PER_LAUNCH = 24
SESSIONS_PER_FILE = 400  #: beyond it, LEAST_SESSIONS for each further launch
LEAST_SESSIONS = 4
#: Instances of one kernel that are named in a file, and in what macros make.
_INSTANTIATIONS, _EXPANDED = 200, 8


def launch_sites(project: Project, file: File) -> tuple[LaunchSite, ...]:
    """The launch sites of one of a project's files, in text order."""
    result: list[LaunchSite] = []
    budget = SESSIONS_PER_FILE
    made: defaultdict[str, set[tuple[str, ...] | None]] = defaultdict(set)
    for launch in launches_in(file)[:LAUNCH_LIMIT]:
        sessions = min(SESSIONS_PER_LAUNCH, max(budget, LEAST_SESSIONS))
        sites, used = _alternatives(project, launch, sessions)
        budget -= used
        if launch.file is file.expansion:
            sites = [s for s in sites if _is_among_first(s, made[s.kernel])]
        result += sites
    return tuple(result)


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


def launches_of(
    kernel: str,
    template_arguments: tuple[str, ...] | None,
    facts: Iterable[SourceFacts],
    near: Path | None = None,
) -> tuple[LaunchSite, ...]:
    """The launches of a kernel in the given files, those with a known block first.

    Template arguments are compared as written and as folded; a launch that leaves them to the
    compiler matches any. `near` is the kernel's file, by default the first given one that defines
    it: launches of a namesake, in another file that defines one too or in an unrelated program's
    folder, do not count. Of two readings of one file the later counts.
    """
    facts = list({_real(f.path): f for f in facts}.values())
    definers = [f.path for f in facts if any(k.name == kernel for k in f.kernels)]
    near = near or next(iter(definers), None)
    wanted = None if template_arguments is None else _plain(template_arguments)
    definitions = [k for f in facts for k in f.kernels if k.name == kernel]
    found = []
    for fact in facts:
        elsewhere = near is not None and fact.path != near
        if (
            near is not None
            and elsewhere
            and (fact.path in definers or not related(fact.path, near))
        ):
            continue
        for site in fact.launches:
            given = {_plain(a) for a in (site.template_arguments, site.instance) if a is not None}
            if not (site.kernel == kernel and _has_arguments_of(site, definitions)):
                continue
            if wanted is None or not given or wanted in given:
                found.append(((site.block.value is None, not given, elsewhere), site))
    return tuple(site for _, site in sorted(found, key=lambda pair: pair[0]))


def _has_arguments_of(site: LaunchSite, definitions: Sequence[SourceKernel]) -> bool:
    """Whether one of a kernel's definitions takes as many arguments as a launch gives."""
    count = len(site.arguments)
    if not definitions or UNKNOWN in (a.text for a in site.arguments):
        return True
    return any(
        sum(p.default is None for p in k.parameters) <= count <= len(k.parameters)
        or any("..." in p.type for p in k.parameters)
        for k in definitions
    )


@lru_cache(maxsize=4096)
def _real(path: Path) -> str:
    return os.path.realpath(path)


def _plain(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(a.split()) for a in arguments)


def _alternatives(project: Project, launch: Launch, sessions: int) -> tuple[list[LaunchSite], int]:
    """One launch site for every set of choices, those that say less than another left out.

    Also how many of the allowed evaluations (`sessions`) it took.
    """
    kept: list[LaunchSite] = []
    excluded: list[LaunchSite] = []  #: as the source stands, these never happen
    supposed: set[frozenset[tuple[object, int]]] = set()
    used = 0
    for session, site in explored(project, partial(_evaluate, launch), sessions):
        used += 1
        if site is not None and _happens(session, launch):
            # One supposition that gives a block is enough: what is rarer is left out.
            way = frozenset(item for item in session.choices.items() if not is_branch(item[0]))
            if way not in supposed:
                _keep(site, kept)
            if site.supposing and site.block.value is not None:
                supposed.add(way)
        elif site is not None and len(excluded) < SITES_PER_LAUNCH:
            _keep(site, excluded)
        if len(kept) >= SITES_PER_LAUNCH:
            break
    return kept or excluded, used


def _keep(site: LaunchSite, kept: list[LaunchSite]) -> None:
    """Add a site to those that say something else."""
    if not any(_says_no_more(site, other) for other in kept):
        kept[:] = [*(other for other in kept if not _says_no_more(other, site)), site]


def _happens(session: Session, launch: Launch) -> bool:
    """Whether no branch on the way to the launch is excluded under the session's choices."""
    fresh = Session(session.project, session.choices)
    places = [launch.outer or (launch.file, launch.node.start_byte)]
    places += [
        (e.file, e.call.node.start_byte) for e in session.entered.values() if e.call is not None
    ]
    return all(is_reached(Environment(fresh, *place)) for place in places)


def _says_no_more(site: LaunchSite, other: LaunchSite) -> bool:
    """Whether everything that is known of one launch is also known, and equal, in another."""
    return site.kernel == other.kernel and all(
        a is None or a == b for a, b in zip(_known(site), _known(other), strict=True)
    )


def _known(site: LaunchSite) -> list[object]:
    dims = (site.grid.x, site.grid.y, site.grid.z, site.block.x, site.block.y, site.block.z)
    values: list[object] = [site.instance, *(d.value for d in dims), site.shared.value]
    for argument in site.arguments:
        values += [argument.value, argument.allocation]
    return values


def _evaluate(launch: Launch, session: Session) -> LaunchSite | None:
    outer = None
    if launch.outer is not None:
        outer = Environment(session, *launch.outer)
        pins_at(outer)
    environment = Environment(session, launch.file, launch.node.start_byte, outer)
    pins_at(environment)
    callee = _callee(launch, environment)
    if callee is None:
        return None
    kernel, template = callee
    configuration = launch.configuration
    grid = _dim3(configuration[0] if configuration else UNKNOWN, environment)
    block = _dim3(configuration[1] if len(configuration) > 1 else UNKNOWN, environment)
    shared = _scalar(configuration[2] if len(configuration) > 2 else "0", environment)
    arguments = tuple(_argument(text, environment) for text in launch.arguments)
    kernels = session.project.kernels(kernel, launch.file)
    target = _target(kernels, len(launch.arguments))
    found: tuple[str | None, ...] | None = None
    if template is not None or (target is not None and target.template):
        found = instance(template or (), target, launch.arguments, environment)
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
        tuple(f"`{text}`" if holds else f"not `{text}`" for text, holds in session.stated.items()),
        session.spare,
        () if known is not None else found or (),
    )


def _callee(launch: Launch, environment: Environment) -> tuple[str, tuple[str, ...] | None] | None:
    """The kernel's name and template arguments; function pointers are followed."""
    named_kernel = kernel_name(launch.callee)
    for _ in range(4):
        if named_kernel is None:
            return None
        name, place = named_kernel[0], environment
        while place.outer is not None and not place.is_local(name):
            place = place.outer
        if not place.is_local(name):
            return named_kernel
        body, function = place.body(), place.function
        if body is None or function is None:
            return None
        if body.reaching(name, place.at) is PARAMETER:
            argument = place.argument(function, function.position(name))
            if argument is None:
                return None
            text, environment = argument
        else:
            writes = body.writes(name, body.visible(name, place.at))
            texts = [place.definition_text(d) for d in writes if d.value is not None]
            texts = [part for text in texts for part in _either(text)]
            kernels = [t for t in dict.fromkeys(texts) if kernel_name(t) is not None]
            index = environment.session.choose(("kernel", launch.node.id), len(kernels))
            if index is None or not kernels:
                return None
            text = kernels[index]
        named_kernel = kernel_name(text)
    return None


def _either(text: str) -> Sequence[str]:
    """Both kernels of `small ? &a<1> : &a<2>`; otherwise the text as it is."""
    tokens = bare(tokenize(text))
    _, mark, rest = (spell(tokens).partition(" ? ")) if tokens else ("", "", "")
    parts = split(tokenize(rest), ":") if mark else []
    return [spell(p) for p in parts] if len(parts) == 2 else [text]


def _target(kernels: Sequence[Function], count: int) -> Function | None:
    """The kernel that a launch with so many arguments means; None if that is not plain."""
    found = [k for k in kernels if len(k.parameters) == count] or list(kernels)
    same = {tuple(p.written for p in k.template) for k in found}
    return found[0] if len(same) == 1 else None


def _dim3(text: str, environment: Environment) -> Dim3Expression:
    parts = environment.components(text)
    if parts is None:
        unknown = Expression(text)
        return Dim3Expression(text, unknown, unknown, unknown)
    x, y, z = (
        Expression(written, _number(c_types.convert(value, UINT))) for written, value in parts[:3]
    )
    return Dim3Expression(text, x, y, z)


def _scalar(text: str, environment: Environment) -> Expression:
    return Expression(text, _number(fold(text, environment)))


def _argument(text: str, environment: Environment) -> LaunchArgument:
    value = _number(fold(text, environment))
    allocation = allocation_of(text, environment) if value is None else None
    return LaunchArgument(text, value, allocation)


def _number(value: Value | None) -> int | float | None:
    return None if value is None else value.number
