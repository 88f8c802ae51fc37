"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.kernels import (
    KernelDefinition,
    TemplateParameter,
    parameter_types,
    template_parameters,
)

#: How often arguments are handed down through host templates that launch a kernel.
_DEPTH = 3
_WHOLE = re.compile(
    r"(?:const |volatile )*(?:unsigned|signed|int|size_t|u?int\d*_t|uint|short|long|char)"
)


@dataclass(frozen=True)
class Instance:
    """One instance of a kernel template."""

    kernel: str  #: unqualified
    expression: str  #: for NVRTC: `ns::k<float, 16>`
    arguments: tuple[str, ...]
    assumed: bool = False  #: some argument was not found in the source


@dataclass(frozen=True)
class _Use:
    """`name<arguments>` where it is launched or called."""

    name: str
    arguments: tuple[str, ...]
    function: str  #: the host function around it
    parameters: tuple[str, ...]  #: that function's template parameters
    types: tuple[str, ...] = ()  #: of the launch's arguments, "" where not known
    launch: bool = True


@dataclass(frozen=True)
class _Signature:
    """What deduction needs of a function template."""

    template: tuple[TemplateParameter, ...]
    parameters: tuple[str, ...]  #: types


def instances(
    sources: Iterable[bytes], kernels: Sequence[KernelDefinition]
) -> tuple[Instance, ...]:
    """The instances that the launch sites name, through host templates too.

    Arguments left to deduction are read from the declared types of what is passed.
    """
    templates = {k.name: k for k in kernels if k.template}
    if not templates:
        return ()
    trees = _relevant(tuple(sources), set(templates))
    signatures = {n: s for _, root in trees for n, s in _signatures(root)}
    signatures |= {n: _Signature(k.template, k.parameters) for n, k in templates.items()}
    uses = [u for _, root in trees for u in _uses(root, frozenset(templates), signatures)]
    constants = {n: v for code, _ in trees for n, v in _constants(code).items()}
    launches = [u for u in uses if u.launch]
    for _ in range(_DEPTH):
        launches = list(
            dict.fromkeys(i for u in launches for i in _handed_down(u, uses, signatures))
        )
    found: dict[str, Instance] = {}
    for use in launches:
        if not set(use.parameters) & _words(use.arguments):
            instance = _instance(use, templates[use.name], constants)
            if instance is not None:
                found.setdefault(instance.expression, instance)
    return tuple(found.values())


def _relevant(sources: Sequence[bytes], names: set[str]) -> list[tuple[bytes, Node]]:
    """The sources that mention these templates, or function templates of those that do."""
    chosen: list[tuple[bytes, Node]] = []
    for _ in range(2):
        pattern = re.compile("|".join(map(re.escape, sorted(names))).encode())
        chosen = [(code, syntax.parse(code)) for code in sources if pattern.search(code)]
        names = names | {n for _, root in chosen for n, _ in _signatures(root) if n}
    return chosen


def _signatures(root: Node) -> Iterator[tuple[str, _Signature]]:
    """The function templates of a source by name."""
    for node in syntax.nodes(root, "template_declaration"):
        function = syntax.templated(node)
        if function.type == syntax.FUNCTION:
            name = syntax.function_name(function).split("::")[-1]
            parameters = tuple(parameter_types(function))
            yield name, _Signature(tuple(template_parameters(node)), parameters)


def default_instance(kernel: KernelDefinition) -> Instance | None:
    """An instance for a template that nothing launches: float, 16, true; None if there is none."""
    return _completed(kernel, ())


def _instance(use: _Use, kernel: KernelDefinition, constants: Mapping[str, str]) -> Instance | None:
    arguments = tuple(_folded(a, constants) for a in use.arguments)
    deduced = _deduce(_Signature(kernel.template, kernel.parameters), use.types)
    given = list(arguments)
    for parameter in kernel.template[len(given) :]:
        if parameter.name not in deduced:
            break
        given.append(deduced[parameter.name])
    return _completed(kernel, tuple(given))


def _completed(kernel: KernelDefinition, given: tuple[str, ...]) -> Instance | None:
    """The instance with these arguments and, for those that lack, the assumed ones."""
    arguments, assumed = list(given), False
    for parameter in kernel.template[len(given) :]:
        if parameter.optional:
            break
        if parameter.kind == "template":
            return None
        assumed = True
        if parameter.kind == "type":
            arguments.append("float")
        elif "bool" in parameter.type:
            arguments.append("true")
        elif _WHOLE.match(parameter.type):
            arguments.append("16")
        else:
            arguments.append(f"({parameter.type})0")
    expression = f"{kernel.qualified}<{', '.join(arguments)}>"
    return Instance(kernel.name, expression, tuple(arguments), assumed)


def _folded(argument: str, constants: Mapping[str, str]) -> str:
    """A host function's own constants are not in sight of a name expression: put their values."""
    return re.sub(r"(?<![\w:.])[A-Za-z_]\w*", lambda m: constants.get(m[0], m[0]), argument)


def _constants(code: bytes) -> dict[str, str]:
    """`const int X = 32;` inside functions (indented), by name."""
    pattern = (
        rb"^[ \t]+(?:static\s+)?(?:const|constexpr)\s+[\w ]+?\b(\w+)\s*=\s*(\d+|true|false)\s*;"
    )
    found: dict[str, set[str]] = {}
    for match in re.finditer(pattern, code, re.MULTILINE):
        found.setdefault(match[1].decode(), set()).add(match[2].decode())
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _words(texts: Iterable[str]) -> set[str]:
    return {w for t in texts for w in re.findall(r"[A-Za-z_]\w*", t)}


def _handed_down(
    use: _Use, uses: Sequence[_Use], signatures: Mapping[str, _Signature]
) -> Iterator[_Use]:
    """The use itself, or what it becomes at each call of the host template around it."""
    if not set(use.parameters) & _words((*use.arguments, *use.types)):
        yield use
        return
    for call in uses:
        if call.launch or call.name != use.function or len(call.arguments) > len(use.parameters):
            continue
        values = dict(zip(use.parameters, call.arguments, strict=False))
        if call.name in signatures:
            values = _deduce(signatures[call.name], call.types) | values

        def put(text: str, values: Mapping[str, str] = values) -> str:
            return re.sub(r"[A-Za-z_]\w*", lambda m: values.get(m[0], m[0]), text)

        yield replace(
            use,
            arguments=tuple(put(a) for a in use.arguments),
            types=tuple(put(t) for t in use.types),
            function=call.function,
            parameters=call.parameters,
        )


def _uses(
    root: Node, kernels: frozenset[str], signatures: Mapping[str, _Signature]
) -> Iterator[_Use]:
    """Launches of these kernels, calls of function templates, kernels whose address is taken."""
    for node in syntax.nodes(root, "call_expression", "template_function"):
        if node.type == "call_expression":
            callee = node.child_by_field_name("function")
            name, arguments = _split(syntax.text_of(callee)) if callee is not None else ("", ())
            launch = any(c.type == "kernel_call_syntax" for c in node.children)
            if name in (kernels if launch else signatures):
                types = _argument_types(node)
                yield _Use(name, arguments, *_around(node), types, launch)
        else:
            name, arguments = _split(syntax.text_of(node))
            called = node.parent is not None and node.parent.type == "call_expression"
            if name in signatures and not called:
                # An explicit instantiation, or cudaLaunchKernel((void *)k<float>, …).
                yield _Use(name, arguments, *_around(node), launch=name in kernels)


def _split(text: str) -> tuple[str, tuple[str, ...]]:
    """`ns::k<A<B, C>, 3>` → ("k", ("A<B, C>", "3"))."""
    match = re.match(r"\s*([\w:]+)\s*(?:<(.*)>)?\s*$", text, re.DOTALL)
    if not match:
        return "", ()
    arguments, depth, current = [], 0, ""
    for character in match[2] or "":
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            arguments.append(current)
            current = ""
        else:
            current += character
    arguments.append(current)
    return match[1].split("::")[-1], tuple(" ".join(a.split()) for a in arguments if a.strip())


def _around(node: Node) -> tuple[str, tuple[str, ...]]:
    """(the function around a node, its template parameters)."""
    name, parameters = "", []
    parent = node.parent
    while parent is not None:
        if parent.type == syntax.FUNCTION and not name:
            name = syntax.function_name(parent).split("::")[-1]
        parameters += [p.name for p in template_parameters(parent)]
        parent = parent.parent
    return name, tuple(parameters)


def _argument_types(call: Node | None) -> tuple[str, ...]:
    """The declared types of a launch's arguments: of plain variables, `float*`; else ""."""
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if call is None or arguments is None:
        return ()
    function = call.parent
    while function is not None and function.type != syntax.FUNCTION:
        function = function.parent
    types = declared_types(function) if function is not None else {}
    return tuple(
        types.get(syntax.text_of(a), "") for a in arguments.named_children if a.type != "comment"
    )


def declared_types(function: Node) -> dict[str, str]:
    """Variables of a function, its parameters included, with their types: `float*`."""
    types: dict[str, str] = {}
    for node in syntax.nodes(function, "declaration", "parameter_declaration"):
        base = node.child_by_field_name("type")
        if base is None:
            continue
        for declarator in node.children_by_field_name("declarator"):
            inner: Node | None = declarator
            stars = ""
            while inner is not None and inner.type != "identifier":
                stars += "*" * (inner.type in {"pointer_declarator", "array_declarator"})
                deeper = inner.child_by_field_name("declarator")
                inner = deeper if deeper is not None else None
            if inner is not None:
                types[syntax.text_of(inner)] = (
                    "".join(syntax.text_of(base).split("const")).strip() + stars
                )
    return types


def _deduce(signature: _Signature, types: Sequence[str]) -> dict[str, str]:
    """Template type parameters by matching `T *` against `float*`."""
    found: dict[str, str] = {}
    names = {p.name for p in signature.template if p.kind == "type"}
    for parameter, given in zip(signature.parameters, types, strict=False):
        match = re.fullmatch(r"(\w+)\s*([*&\s]*)", parameter.strip())
        if not match or not given or match[1] not in names or given.startswith("auto"):
            continue
        stars = match[2].count("*")
        if given.count("*") >= stars:
            found.setdefault(match[1], given[: len(given) - stars].strip())
    return found
