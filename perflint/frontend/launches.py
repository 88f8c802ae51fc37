"""Launch sites: `<<<…>>>`, launches inside macros, and the runtime's launch functions.

Each alternative that host code in sight really takes (a caller with other arguments, the next
entry of a table of block sizes) becomes a launch site of its own, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.frontend import arithmetic
from perflint.frontend.allocations import allocation_of, without_casts
from perflint.frontend.arithmetic import UINT, Value
from perflint.frontend.declarations import call_of
from perflint.frontend.environment import Environment, Session, UndecidedError
from perflint.frontend.expressions import fold
from perflint.frontend.guards import pins_at
from perflint.frontend.macros import ExpansionError, expand
from perflint.frontend.model import (
    Dim3Expression,
    Expression,
    LaunchArgument,
    LaunchSite,
    SourceFacts,
    Span,
)
from perflint.frontend.preprocessor import Preprocessed
from perflint.frontend.project import File, Project, related
from perflint.frontend.reaching import PARAMETER
from perflint.frontend.tokens import closing_angle, spell, tokenize
from perflint.frontend.trees import captures, named

if TYPE_CHECKING:
    from tree_sitter import Node

SITES_PER_LAUNCH = 8
SESSIONS_PER_LAUNCH = 24
SESSIONS_PER_FILE = 400  #: beyond it, LEAST_SESSIONS for each further launch
LEAST_SESSIONS = 4
LAUNCH_LIMIT = 1_000  #: launches read from one file

_RUNTIME = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
_EXTENSIBLE = ("cudaLaunchKernelEx", "cudaLaunchKernelExC")


@dataclass(frozen=True, eq=False)
class _Launch:
    """A launch as written, before anything is folded."""

    node: Node  #: what is evaluated from
    span: Span
    function: str
    callee: str  #: `k`, `ns::k<float, 4>`, `&k`
    configuration: tuple[str, ...]  #: grid, block, shared, stream
    arguments: tuple[str, ...]
    file: File
    outer: tuple[File, int] | None = None  #: where the macro that holds it is used


def launch_sites(project: Project) -> tuple[LaunchSite, ...]:
    """The launch sites of a project's main file, in text order."""
    result: list[LaunchSite] = []
    budget = SESSIONS_PER_FILE
    for launch in _launches(project.main)[:LAUNCH_LIMIT]:
        sessions = min(SESSIONS_PER_LAUNCH, max(budget, LEAST_SESSIONS))
        sites, used = _alternatives(project, launch, sessions)
        budget -= used
        result += sites
    return tuple(result)


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
    folder, do not count.
    """
    facts = list(facts)
    definers = [f.path for f in facts if any(k.name == kernel for k in f.kernels)]
    near = near or next(iter(definers), None)
    wanted = None if template_arguments is None else _plain(template_arguments)
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
            if site.kernel == kernel and (wanted is None or not given or wanted in given):
                found.append(((site.block.value is None, not given, elsewhere), site))
    return tuple(site for _, site in sorted(found, key=lambda pair: pair[0]))


def _plain(arguments: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(a.split()) for a in arguments)


def _launches(file: File) -> list[_Launch]:
    found = _written_launches(file)
    for name in (*_RUNTIME, *_EXTENSIBLE):
        for call in file.declarations.calls.get(name, ()):
            launch = _runtime_launch(file, call.node, name)
            if launch is not None:
                found.append(launch)
    found += _macro_launches(file)
    return sorted(found, key=lambda launch: (launch.span.line, launch.span.column))


def _written_launches(file: File) -> list[_Launch]:
    source = file.source
    result = []
    found = captures(source.tree.root_node, "(kernel_call_syntax) @launch").get("launch", [])
    for configuration in found[:LAUNCH_LIMIT]:
        node = configuration.parent
        callee = node.child_by_field_name("function") if node is not None else None
        arguments = node.child_by_field_name("arguments") if node is not None else None
        if node is None or callee is None or arguments is None:
            continue
        function = file.declarations.function_at(node.start_byte)
        result.append(
            _Launch(
                node,
                source.span(callee, arguments),
                function.name if function is not None else "",
                source.text_of(callee),
                tuple(source.text_of(c) for c in named(configuration)),
                tuple(source.text_of(c) for c in named(arguments)),
                file,
            )
        )
    return result


def _runtime_launch(file: File, node: Node, name: str) -> _Launch | None:
    """`cudaLaunchKernel(k, grid, block, arguments, shared, stream)` and its newer form."""
    source = file.source
    call = call_of(source, node)
    function = file.declarations.function_at(node.start_byte)
    if call is None or function is None or len(call.arguments) < 2:
        return None
    texts = [source.text_of(a) for a in call.arguments]
    if name in _RUNTIME:
        if len(texts) < 4:
            return None
        values = _argument_array(file, texts[3], node.start_byte)
        callee, configuration = texts[0], (texts[1], texts[2], *texts[4:5])
    else:
        config = spell(without_casts(tokenize(texts[0]))).removeprefix("& ")
        fields = ("gridDim", "blockDim", "dynamicSmemBytes")
        callee, configuration = texts[1], tuple(f"{config}.{f}" for f in fields)
        values = tuple(texts[2:]) if name == "cudaLaunchKernelEx" else ()
    span = source.span(node)
    return _Launch(node, span, function.name, callee, configuration, values, file)


def _argument_array(file: File, text: str, at: int) -> tuple[str, ...]:
    """The arguments of `void *args[] = {&a, (void *)&b}`."""
    tokens = without_casts(tokenize(text))
    function = file.declarations.function_at(at)
    if len(tokens) != 1 or function is None:
        return ()
    definition = file.body(function).visible(tokens[0].text, at)
    if definition is None or definition.value is None:
        return ()
    if definition.value.type != "initializer_list":
        return ()
    result = []
    for item in named(definition.value):
        inner = without_casts(tokenize(file.source.text_of(item)))
        result.append(spell(inner[1:]) if inner and inner[0].text == "&" else "?")
    return tuple(result)


def _macro_launches(file: File) -> list[_Launch]:
    """Launches in the bodies of function-like macros, at the place where those are used."""
    holders = {
        name
        for name, macro in file.unit.final.items()
        if macro.parameters is not None and any(t.text == "<<<" for t in macro.body)
    }
    result: list[_Launch] = []
    for name in sorted(holders & set(file.declarations.calls)):
        for call in file.declarations.calls[name]:
            at = call.node.start_byte
            macros = file.macros_at(at)
            try:
                tokens = expand(tokenize(file.source.text_of(call.node)), macros)
            except ExpansionError:
                continue
            text = f"void expansion() {{ {spell(tokens)} ; }}"
            inner = File(Preprocessed(file.path, text, macros))
            function = file.declarations.function_at(at)
            caller = function.name if function is not None else ""
            span = file.source.span(call.node)
            result += (
                replace(launch, span=span, function=caller, outer=(file, at))
                for launch in _written_launches(inner)
            )
    return result


def _alternatives(project: Project, launch: _Launch, sessions: int) -> tuple[list[LaunchSite], int]:
    """One launch site for every set of choices, those that say less than another left out.

    Also how many of the allowed evaluations (`sessions`) it took.
    """
    waiting: list[Mapping[object, int]] = [{}]
    kept: list[LaunchSite] = []
    used = 0
    while waiting and used < sessions and len(kept) < SITES_PER_LAUNCH:
        used += 1
        choices = waiting.pop(0)
        try:
            site = _evaluate(Session(project, choices), launch)
        except UndecidedError as undecided:
            count = min(undecided.count, SESSIONS_PER_LAUNCH)
            waiting[:0] = [{**choices, undecided.key: index} for index in range(count)]
            continue
        if site is not None and not any(_says_no_more(site, other) for other in kept):
            kept = [other for other in kept if not _says_no_more(other, site)] + [site]
    return kept, used


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


def _evaluate(session: Session, launch: _Launch) -> LaunchSite | None:
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
    grid = _dim3(configuration[0] if configuration else "1", environment)
    block = _dim3(configuration[1] if len(configuration) > 1 else "1", environment)
    shared = _scalar(configuration[2] if len(configuration) > 2 else "0", environment)
    arguments = tuple(_argument(text, environment) for text in launch.arguments)
    instance = None if template is None else _instance(template, environment)
    via = tuple(
        e.file.source.span(e.call.node) for e in session.entered.values() if e.call is not None
    )
    return LaunchSite(
        launch.span,
        kernel,
        template,
        grid,
        block,
        shared,
        arguments,
        launch.function,
        instance,
        via,
    )


def _callee(launch: _Launch, environment: Environment) -> tuple[str, tuple[str, ...] | None] | None:
    """The kernel's name and template arguments; function pointers are followed."""
    named_kernel = _kernel_name(launch.callee)
    for _ in range(4):
        if named_kernel is None:
            return None
        name, place = named_kernel[0], environment
        while place.outer is not None and not _is_variable(place, name):
            place = place.outer
        if not _is_variable(place, name):
            return named_kernel
        body, function = place.body(), place.function
        if body is None or function is None:
            return None
        if body.reaching(name, place.at) is PARAMETER:
            position = next(i for i, p in enumerate(function.parameters) if p.name == name)
            argument = place.argument(function, position)
            if argument is None:
                return None
            text, environment = argument
        else:
            writes = body.writes(name, body.visible(name, place.at))
            texts = [place.definition_text(d) for d in writes if d.value is not None]
            kernels = [t for t in dict.fromkeys(texts) if _kernel_name(t) is not None]
            index = environment.session.choose(("kernel", launch.node.id), len(kernels))
            if index is None or not kernels:
                return None
            text = kernels[index]
        named_kernel = _kernel_name(text)
    return None


def _is_variable(place: Environment, name: str) -> bool:
    body = place.body()
    if body is None:
        return False
    return body.visible(name, place.at) is not None or name in body.parameters


def _kernel_name(text: str) -> tuple[str, tuple[str, ...] | None] | None:
    """`ns::k<float, 4>` as (`k`, (`float`, `4`)); None if the text names no function."""
    tokens = without_casts(tokenize(text))
    while tokens and tokens[0].text in ("&", "*", "::"):
        tokens = without_casts(tokens[1:])
    while len(tokens) > 2 and tokens[0].kind == "name" and tokens[1].text == "::":
        tokens = tokens[2:]
    if not tokens or tokens[0].kind != "name" or tokens[0].text in ("NULL", "nullptr"):
        return None
    if len(tokens) == 1:
        return tokens[0].text, None
    end = closing_angle(tokens, 1) if tokens[1].text == "<" else None
    if end != len(tokens) - 1:
        return None
    return tokens[0].text, tuple(_written(part) for part in split_angles(text))


def split_angles(text: str) -> list[str]:
    """The arguments between the outermost `<` and `>`."""
    tokens = tokenize(text)
    start = next((i for i, t in enumerate(tokens) if t.text == "<"), None)
    end = closing_angle(tokens, start) if start is not None else None
    if start is None or end is None:
        return []
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens[start + 1 : end]:
        depth += (token.text in ("<", "(", "[", "{")) - (token.text in (")", "]", "}"))
        depth -= {">": 1, ">>": 2}.get(token.text, 0)
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token.text)
    return [" ".join(p) for p in parts if p]


def _written(text: str) -> str:
    return text.replace(" ::", "::").replace(":: ", "::")


def _dim3(text: str, environment: Environment) -> Dim3Expression:
    parts = environment.components(text)
    if parts is None:
        unknown = Expression(text)
        return Dim3Expression(text, unknown, unknown, unknown)
    x, y, z = (
        Expression(written, _number(arithmetic.convert(value, UINT)))
        for written, value in parts[:3]
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


def _instance(template: tuple[str, ...], environment: Environment) -> tuple[str, ...] | None:
    """Template arguments without names of the host function's own."""
    result = []
    for text in template:
        known = _instance_argument(text, environment, 0)
        if known is None:
            return None
        result.append(known)
    return tuple(result)


def _instance_argument(text: str, environment: Environment, depth: int) -> str | None:
    tokens = tokenize(text)
    if depth > 8 or not tokens:
        return None
    if len(tokens) == 1 and tokens[0].text in ("true", "false"):
        return text
    function = environment.function
    own = {p.name for p in function.template} if function is not None else set()
    used = [t.text for t in tokens if t.text in own]
    if len(tokens) == 1 and used and function is not None:
        found = environment.template_argument(function, text)
        return None if found is None else _instance_argument(*found, depth + 1)
    value = fold(text, environment)
    if value is not None:
        is_bool = value.type == arithmetic.BOOL
        return ("true" if value.number else "false") if is_bool else str(value.number)
    if used or _is_variable(environment, tokens[0].text):
        return None
    return text
