"""Which instances of kernel templates to compile: those that are launched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tree_sitter import Node

from perflint.frontend import syntax
from perflint.frontend.kernels import KernelDefinition, template_parameters

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


def instances(
    sources: Iterable[bytes], kernels: Sequence[KernelDefinition]
) -> tuple[Instance, ...]:
    """The instances that the launch sites name, through host templates too.

    Arguments left to deduction are read from the declared types of what is passed.
    """
    templates = {k.name: k for k in kernels if k.template}
    if not templates:
        return ()
    uses: list[_Use] = []
    constants: dict[str, str] = {}
    for code in sources:
        if b"<<<" in code or b"<" in code:
            root = syntax.parse(code)
            uses += _uses(root, templates)
            constants.update(_constants(code))
    launches = [u for u in uses if u.launch]
    for _ in range(_DEPTH):
        launches = list(dict.fromkeys(i for u in launches for i in _handed_down(u, uses)))
    found: dict[str, Instance] = {}
    for use in launches:
        if not set(use.parameters) & _words(use.arguments):
            instance = _instance(use, templates[use.name], constants)
            if instance is not None:
                found.setdefault(instance.expression, instance)
    return tuple(found.values())


def default_instance(kernel: KernelDefinition) -> Instance | None:
    """An instance for a template that nothing launches: float, 16, true; None if there is none."""
    return _completed(kernel, ())


def _instance(use: _Use, kernel: KernelDefinition, constants: Mapping[str, str]) -> Instance | None:
    arguments = tuple(_folded(a, constants) for a in use.arguments)
    deduced = _deduce(kernel, use.types)
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


def _handed_down(use: _Use, uses: Sequence[_Use]) -> Iterator[_Use]:
    """The use itself, or what it becomes at each call of the host template around it."""
    if not set(use.parameters) & _words((*use.arguments, *use.types)):
        yield use
        return
    for call in uses:
        if call.launch or call.name != use.function or len(call.arguments) > len(use.parameters):
            continue
        values = dict(zip(use.parameters, call.arguments, strict=False))

        def put(text: str, values: Mapping[str, str] = values) -> str:
            return re.sub(r"[A-Za-z_]\w*", lambda m: values.get(m[0], m[0]), text)

        yield replace(
            use,
            arguments=tuple(put(a) for a in use.arguments),
            types=tuple(put(t) for t in use.types),
            function=call.function,
            parameters=call.parameters,
        )


def _uses(root: Node, kernels: Mapping[str, KernelDefinition]) -> Iterator[_Use]:
    """Launches of these kernels, and all calls with explicit template arguments."""
    for node in syntax.walk(root):
        if node.type == "kernel_call_syntax":
            call = node.parent
            callee = call.child_by_field_name("function") if call is not None else None
            if callee is None:
                callee = node.prev_sibling
            if callee is None:
                continue
            name, arguments = _split(syntax.text_of(callee))
            if name in kernels:
                types = _argument_types(call)
                yield _Use(name, arguments, *_around(node), types)
        elif node.type == "template_function":
            name, arguments = _split(syntax.text_of(node))
            in_launch = node.parent is not None and any(
                c.type == "kernel_call_syntax" for c in node.parent.children
            )
            if not in_launch:
                # Also a kernel whose address is taken: `cudaLaunchKernel((void *)k<float>, …)`.
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
    types = _declared_types(function) if function is not None else {}
    return tuple(
        types.get(syntax.text_of(a), "") for a in arguments.named_children if a.type != "comment"
    )


def _declared_types(function: Node) -> dict[str, str]:
    """Variables of a function, its parameters included, with their types: `float*`."""
    types: dict[str, str] = {}
    for node in syntax.walk(function):
        if node.type not in {"declaration", "parameter_declaration"}:
            continue
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


def _deduce(kernel: KernelDefinition, types: Sequence[str]) -> dict[str, str]:
    """Template type parameters by matching `T *` against `float*`."""
    found: dict[str, str] = {}
    names = {p.name for p in kernel.template if p.kind == "type"}
    for parameter, given in zip(kernel.parameters, types, strict=False):
        match = re.fullmatch(r"(\w+)\s*([*&\s]*)", parameter.strip())
        if not match or not given or match[1] not in names or given.startswith("auto"):
            continue
        stars = match[2].count("*")
        if given.count("*") >= stars:
            found.setdefault(match[1], given[: len(given) - stars].strip())
    return found
