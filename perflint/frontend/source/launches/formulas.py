"""The numbers of a launch, as values where they can be read and as formulas where not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.calls.instances import unpacked
from perflint.frontend.source.host.calls.launch_syntax import Launch
from perflint.frontend.source.host.objects.structs import is_number
from perflint.frontend.source.host.values.allocations import allocation_of, is_null
from perflint.frontend.source.host.values.branch_values import pins_at, selected, ways_in
from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.device_properties import PROPERTIES
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import UINT, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.evaluation import power_of_two, whole
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.language.model import (
    Dim3Expression,
    Expression,
    LaunchArgument,
    LaunchSite,
)
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.terms import Applied, Constant, Requirement, Term
from perflint.frontend.source.language.tokens import bare, spell, split, tokenize
from perflint.frontend.source.launches.callees import callee_of
from perflint.frontend.source.project.sight import Project

if TYPE_CHECKING:
    from tree_sitter import Node

REQUIREMENT_LIMIT = 32


def dim3_expression(text: str, environment: Environment) -> Dim3Expression:
    """A grid or block as written, each extent folded."""
    parts = environment.components(text)
    if parts is None:
        unknown = Expression(text)
        return Dim3Expression(text, unknown, unknown, unknown)
    listed = environment.written_components(text.strip())
    x, y, z = (
        _expression(listed[axis] if axis < len(listed) else written, c_types.convert(value, UINT))
        for axis, (written, value) in enumerate(parts[:3])
    )
    return Dim3Expression(text, x, y, z)


def expression(text: str, environment: Environment) -> Expression:
    """An expression, folded."""
    return _expression(text, fold(text, environment))


def _expression(text: str, value: Value | None) -> Expression:
    return Expression(text, _number(value), None if value is None else value.term)


def launch_argument(text: str, environment: Environment) -> LaunchArgument:
    """An argument, folded, or the bytes behind it."""
    value = fold(text, environment)
    if value is None and "{" in text:
        value = environment.path(text)  # `Size{n, 4}.n` is no constant expression of C
    pointer = value is None and not _is_scalar(text, environment)
    size = allocation_of(text, environment) if pointer else None
    if pointer and size is None and is_null(text, environment):
        value = Value(0, c_types.INT)
    return LaunchArgument(
        text,
        _number(value),
        None if size is None else int(size.number),
        None if value is None else value.term,
        None if size is None else size.term,
    )


def _is_scalar(text: str, place: Environment) -> bool:
    """Whether an argument is a variable that is declared as a number."""
    if not text.isidentifier():
        return False
    while place.outer is not None and not place.is_local(text):
        place = place.outer
    words, depth = place.declared_words(text)
    return not depth and is_number(words, place)


def _number(value: Value | None) -> int | float | None:
    return None if value is None else value.number


# --- formulas -------------------------------------------------------------------------------------


def standing(launch: Launch, session: Session) -> Environment:
    """Where a launch stands, in a session, which learns which programs come there."""
    session.launch = str(launch.file.path), launch.node.start_byte
    outer = None if launch.outer is None else Environment(session, *launch.outer)
    found = Environment(session, launch.file, launch.node.start_byte, outer)
    function = (outer or found).function
    session.mains = session.project.programs(function) if function is not None else ()
    return found


def with_formulas(
    site: LaunchSite, project: Project, launch: Launch, choices: Mapping[object, int]
) -> LaunchSite:
    """A launch site with formulas for what of it hangs on roots, read under the same choices."""
    dims = (site.grid.x, site.grid.y, site.grid.z, site.block.x, site.block.y, site.block.z)
    read = [e.value for e in (*dims, site.shared)]
    read += [a.value if a.value is not None else a.allocation for a in site.arguments]
    if None not in read:
        return site
    session = Session(project, choices, invention=Invention())
    invention = session.invention
    assert invention is not None
    environment = standing(launch, session)
    with session.reading():
        for place in (environment.outer, environment):
            if place is not None:
                pins_at(place)
                for text, holds, where in on_the_way(place):
                    for part in _parts(text, holds):
                        where.presume(part, holds)
        callee_of(launch.callee, environment)  # what it was chosen supposing is required, too
    configuration = (*launch.configuration, "0", "0", "0")
    grid = _dim3_formulas(site.grid, configuration[0], environment)
    block = _dim3_formulas(site.block, configuration[1], environment)
    shared = _formula(site.shared, expression(configuration[2], environment))
    if site.block.value is not None:
        with session.reading(), session.at_bounds():  # what it was read supposing is required
            environment.components(site.block.text)
    given = unpacked(launch.arguments, environment)
    arguments = site.arguments
    if len(given) == len(arguments):
        pairs = zip(arguments, given, strict=True)
        arguments = tuple(_argument_formula(read, there) for read, (_, there) in pairs)
        with session.reading():  # what these were read supposing is required, too
            for argument, (_, there) in zip(arguments, given, strict=True):
                if argument.value is not None:
                    fold(argument.text, there)
    invention.closed = True
    asked = (
        *_resident(launch, grid, block),
        *_requirements(environment),
        *_doubled(environment, block),
    )
    requirements = asked[:REQUIREMENT_LIMIT]
    roots = tuple(invention.roots.values())
    free = None
    if site.unbounded is not None:  # for values under which the bound is never met
        supposing = tuple(text for text in site.supposing if text not in site.bounding)
        plain = replace(site, block=site.unbounded, unbounded=None, supposing=supposing)
        free = with_formulas(plain, project, launch, choices)
    runs = (r.told for r in roots if r.told and r.told not in site.supposing)
    return replace(
        site,
        supposing=(*dict.fromkeys(runs), *site.supposing),
        grid=grid,
        block=block,
        shared=shared,
        arguments=arguments,
        roots=roots,
        requirements=requirements,
        free=free,
    )


def _resident(launch: Launch, grid: Dim3Expression, block: Dim3Expression) -> Iterator[Requirement]:
    """That a GPU holds all blocks of a cooperative launch at once, as the runtime asks.

    Registers and shared memory may allow fewer; these are not known where host code is read.
    """
    if not launch.cooperative:
        return
    most = PROPERTIES["multiProcessorCount"]
    blocks = _product((grid.x, grid.y, grid.z))
    threads = _product((*(grid.x, grid.y, grid.z), *(block.x, block.y, block.z)))
    for term, limit, what in (
        (blocks, most * PROPERTIES["maxBlocksPerMultiProcessor"], "blocks"),
        (threads, most * PROPERTIES["maxThreadsPerMultiProcessor"], "threads"),
    ):
        if term is not None and term.roots:
            bound = whole(limit)
            text = f"{limit:,} {what} of a cooperative launch at once"
            yield Requirement(text, True, Applied("<=", (term, bound)), launch.span.line)


def _product(extents: Sequence[Expression]) -> Term | None:
    """The extents multiplied; None where one is not known."""
    product: Term = whole(1)
    for extent in extents:
        factor = _term(extent.value, extent.term)
        if factor is None:
            return None
        product = Applied("*", (product, Applied("convert", (factor,), c_types.LLONG)))
    return product


def _formula(read: Expression, invented: Expression) -> Expression:
    """What was read, else how it is computed."""
    if read.value is not None:
        return read
    return replace(read, term=_term(invented.value, invented.term))


def _term(value: int | float | None, term: Term | None) -> Term | None:
    """A formula, also of what hangs on no root: only on which way a condition goes."""
    if term is not None or value is None:
        return term
    return Constant(c_types.plain(value))


def _dim3_formulas(read: Dim3Expression, text: str, environment: Environment) -> Dim3Expression:
    found = dim3_expression(text, environment)
    x, y, z = (_formula(getattr(read, axis), getattr(found, axis)) for axis in "xyz")
    return replace(read, x=x, y=y, z=z)


def _argument_formula(read: LaunchArgument, environment: Environment) -> LaunchArgument:
    if read.value is not None or read.allocation is not None:
        return read
    if read.struct is not None:
        fields = (
            replace(f, argument=_argument_formula(f.argument, environment))
            for f in read.struct.fields
        )
        return replace(read, struct=replace(read.struct, fields=tuple(fields)))
    found = launch_argument(read.text, environment)
    size = _term(found.allocation, found.allocation_term)
    return replace(read, term=_term(found.value, found.term), allocation_term=size)


# --- what the host code asks of the roots ---------------------------------------------------------


def _requirements(environment: Environment) -> Iterator[Requirement]:
    """The conditions that hold where a launch happens, as far as they are about its roots."""
    session = environment.session
    # What a branch pins to a number is computed of roots all the same: `switch (next_power(n))`.
    free = Session(session.project, session.choices, invention=session.invention)
    free.stated = session.stated
    way = (c for place in ways_in(environment, free) for c in on_the_way(place))
    seen = set()
    for text, holds, where in chain(way, _stated(session)):
        for part in _parts(text, holds):
            value = fold(part, where)
            line = where.file.source.line_at(where.at)
            if value is not None and value.term is not None and (part, holds) not in seen:
                seen.add((part, holds))
                yield Requirement(part, holds, value.term, line)


def _stated(session: Session) -> Iterator[tuple[str, bool, Environment]]:
    """The conditions that were chosen to hold or not, also those that this asks for meanwhile.

    Each once for a place: it is asked for anew for each variable that is set before or behind it.
    """
    seen: set[tuple[str, bool, object]] = set()
    for text, where in session.asked:
        holds = session.stated.get(text)
        if holds is None or not isinstance(where, Environment):
            continue
        outer = None if where.outer is None else where.outer.key
        if (asked := (text, holds, (where.key, outer))) not in seen:
            seen.add(asked)
            yield text, holds, where


def _parts(text: str, holds: bool) -> list[str]:
    """`a && b` that holds, and `a || b` that does not, by their parts."""
    tokens = bare(tokenize(text))
    mark, other = ("&&", "||") if holds else ("||", "&&")
    if len(split(tokens, other)) > 1:
        return [spell(tokens)]
    return [spell(bare(part)) for part in split(tokens, mark)]


def on_the_way(environment: Environment) -> Iterator[tuple[str, bool, Environment]]:
    """The conditions around a place, and of what would have left the function before it."""
    body = environment.body()
    if body is None:
        return
    source, around = environment.file.source, body.enclosing(environment.at)
    for region in body.regions:
        inside = region in around
        left = region.leaves and region.end <= environment.at
        if region.kind not in ("then", "else") or not (inside or left):
            continue
        if left and not _is_passed(environment, body, region.start, around):
            continue
        condition = region.node.child_by_field_name("condition")
        if condition is not None:
            there = environment.moved(condition.start_byte)
            text = spell(bare(tokenize(source.text_of(condition))))
            yield text, (region.kind == "then") == inside, there
    for region in around:
        if case := selected(region, environment):
            yield case, True, environment.moved(region.start)
        condition = _still_holding(environment, body, region)
        if condition is not None:
            yield spell(bare(tokenize(source.text_of(condition)))), True, environment
    for node, asserted in body.assertions:
        before = node.end_byte <= environment.at
        if before and _is_passed(environment, body, node.start_byte, around):
            yield asserted, True, environment.moved(node.start_byte)


def _is_passed(environment: Environment, body: Body, at: int, around: Sequence[Region]) -> bool:
    """Whether every path to a place passes another one before it, a condition's own arms aside.

    Where it was chosen which arm of a branch is taken, only that one is a path.
    """
    return all(
        r in around or r.start == at or _is_chosen(environment, r) for r in body.enclosing(at)
    )


def _is_chosen(environment: Environment, region: Region) -> bool:
    """Whether an arm of a branch is the one that was chosen to be taken."""
    condition = region.node.child_by_field_name("condition")
    if region.kind not in ("then", "else") or condition is None:
        return False
    text = spell(bare(tokenize(environment.file.source.text_of(condition))))
    return environment.session.stated.get(text) == (region.kind == "then")


def _still_holding(environment: Environment, body: Body, region: Region) -> Node | None:
    """The condition of a loop around a place, where nothing in it has changed before the place."""
    condition = region.node.child_by_field_name("condition")
    if region.kind != "loop" or region.node.type == "do_statement" or condition is None:
        return None
    update = region.node.child_by_field_name("update")
    start = condition.end_byte if update is None else update.end_byte
    names = {t.text for t in tokenize(environment.file.source.text_of(condition))}
    for name in names & body.definitions.keys():
        writes = body.writes(name, body.visible(name, condition.start_byte))
        if any(start <= d.start < environment.at for d in writes):
            return None
    return condition


_DOUBLING = pattern(
    r"\(?\s*(\w+)\s*(?:\*=\s*(\w+)|<<=\s*\w+|=\s*\1\s*(?:\*\s*(\w+)|<<\s*\w+))\s*\)?"
)


def _doubled(environment: Environment, block: Dim3Expression) -> Iterator[Requirement]:
    """That a bound up to which a loop around the launch doubles, and the block hangs on, fits.

    `for (s = 1; s < n; s *= 2) k<<<1, n / 2>>>(s)`: n is a power of two.
    """
    body = environment.body()
    terms = [e.term for e in (block.x, block.y, block.z) if e.term is not None]
    threads = frozenset[int]().union(*(term.roots for term in terms))
    for region in body.enclosing(environment.at) if body is not None and threads else ():
        update, condition = (region.node.child_by_field_name(f) for f in ("update", "condition"))
        if region.kind != "loop" or update is None or condition is None:
            continue
        source = environment.file.source
        step = _DOUBLING.fullmatch(source.text_of(update))
        sides = split(bare(tokenize(source.text_of(condition))), "<")
        if step is None or len(sides) != 2 or spell(sides[0]) != step[1]:
            continue
        factor = fold(step[2] or step[3] or "2", environment)
        bound = fold(spell(sides[1]), environment)
        if factor is None or bound is None or bound.term is None or not bound.term.roots & threads:
            continue
        if isinstance(factor.number, int) and factor.number > 1 and factor.number.bit_count() == 1:
            text = f"the doubling of {step[1]} up to {spell(sides[1])}"
            line = source.line_at(condition.start_byte)
            yield Requirement(text, True, power_of_two(bound.term), line)
