"""What a file declares: functions, parameters, variables, types; and who calls whom."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.language.declarators import (
    Parameter,
    made_of,
    parameter_of,
    template_parameters,
    without_arguments,
)
from perflint.frontend.source.language.model import TemplateParameter
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.trees import (
    KEPT,
    Source,
    children_of,
    function_declarator,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_KINDS = kinds(
    function="function_definition",
    declaration="declaration",
    call="call_expression",
    around="translation_unit declaration_list linkage_specification "
    "preproc_if preproc_ifdef preproc_else",
    member="field_declaration",
    new="new_expression",
    initialiser="field_initializer",
    enumerator="enumerator",
    enum="enum_specifier",
    typedef="type_definition",
    alias="alias_declaration",
    struct="struct_specifier class_specifier",
    namespace="namespace_definition",
    instantiation="template_instantiation",
    mention="template_function",
    template="template_declaration",
    launch="kernel_call_syntax",
    **{"lambda": "lambda_expression"},
)


_PARAMETERS = (
    "parameter_declaration",
    "optional_parameter_declaration",
    "variadic_parameter_declaration",
)
_LISTS = ("argument_list", "initializer_list")
_TYPES = ("type_identifier", "template_type", "qualified_identifier")
_NAMES = ("identifier", "field_identifier", "template_function", "operator_name", "destructor_name")


@dataclass(frozen=True, eq=False)
class Function:
    """A function with a body, or a prototype (then `body` is None)."""

    name: str
    qualified: str
    source: Source
    node: Node
    name_node: Node
    body: Node | None
    parameters: tuple[Parameter, ...]
    template: tuple[TemplateParameter, ...]
    template_node: Node | None
    qualifiers: frozenset[str]  #: `__global__`, `__device__`, …
    method: bool = False

    @property
    def constructs(self) -> str:
        """The class that this is a constructor of; "" for any other function."""
        classes = self.qualified.split("::")[:-1]
        return self.name if classes[-1:] == [self.name] else ""

    @property
    def copies(self) -> bool:
        """Whether it makes an object like another one of its class: by `=`, or by making it."""
        one = self.parameters[0] if len(self.parameters) == 1 else None
        makes = self.name == "operator=" or bool(self.constructs)
        class_ = self.qualified.split("::")[-2:-1]
        return makes and one is not None and "&" in one.written and class_ == [one.type.split()[-1]]

    @cached_property
    def initialisers(self) -> dict[str, Node]:
        """The values in a constructor's initialiser list, by member."""
        lists = [c for c in self.node.children if c.type == "field_initializer_list"]
        items = [i for each in lists for i in children_of(each) if i.type == "field_initializer"]
        parts = (children_of(item) for item in items)
        return {self.source.text_of(p[0]): p[1] for p in parts if len(p) == 2}

    @property
    def on_device(self) -> bool:
        return bool(self.qualifiers & {"__global__", "__device__"})

    def parameter(self, name: str) -> Parameter | None:
        """A parameter by name."""
        return next((p for p in self.parameters if p.name == name), None)

    def position(self, name: str) -> int:
        """The index of a parameter that it has."""
        return next(i for i, p in enumerate(self.parameters) if p.name == name)

    def template_parameter(self, name: str) -> TemplateParameter | None:
        """A template parameter by name."""
        return next((p for p in self.template if p.name == name), None)


@dataclass(frozen=True, eq=False)
class Call:
    """A call or a kernel launch, `name<template>(arguments)`."""

    name: str
    source: Source
    node: Node
    name_node: Node
    arguments: tuple[Node, ...]
    template: tuple[Node, ...] | None
    through_object: bool = False  #: `a.f(…)`, `a->f(…)`


@dataclass(frozen=True, eq=False)
class Scope:
    """A namespace's, class's or enumeration's body."""

    name: str
    start: int
    end: int
    kind: str  #: `namespace`, `struct` or `enum`

    @property
    def is_class(self) -> bool:
        return self.kind == "struct"


@dataclass
class Declarations:
    """One file's declarations."""

    source: Source
    launches: list[Node]  #: what stands in `<<<…>>>`, in text order
    functions: list[Function] = field(default_factory=list)
    prototypes: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    globals: list[Node] = field(default_factory=list)
    members: list[Node] = field(default_factory=list)
    #: methods that classes declare and do not define, by name
    methods: dict[str, list[Node]] = field(default_factory=lambda: defaultdict(list))
    enumerators: dict[str, list[Node]] = field(default_factory=lambda: defaultdict(list))
    typedefs: dict[str, list[Node]] = field(default_factory=lambda: defaultdict(list))
    structs: dict[str, Node] = field(default_factory=dict)
    records: list[Node] = field(default_factory=list)  #: definitions of structures, in text order
    lambdas: list[Node] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)  #: by class
    #: what constructors' initialiser lists give members, bases and other constructors, by name
    initialised: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    #: (name, template argument list) where a template's instance is named and not called
    mentions: list[tuple[str, Node]] = field(default_factory=list)
    instantiations: dict[str, list[tuple[Node, ...]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    @cached_property
    def by_name(self) -> dict[str, list[Function]]:
        """The functions with a body, by name."""
        result: dict[str, list[Function]] = defaultdict(list)
        for function in self.functions:
            result[function.name].append(function)
        return result

    def scopes_at(self, offset: int) -> list[Scope]:
        """The namespaces, classes and enumerations around a byte offset, from the outside in."""
        return [s for s in self.scopes if s.start < offset < s.end]

    def namespace_at(self, offset: int) -> str:
        """The namespaces around an offset, `a::b`; "" outside of all that have a name."""
        return "::".join(s.name for s in self.scopes_at(offset) if s.kind == "namespace")

    @cached_property
    def _starts(self) -> list[int]:
        return [f.node.start_byte for f in self.functions]

    def function_at(self, offset: int) -> Function | None:
        """The innermost function whose definition holds a byte offset."""
        index = bisect_right(self._starts, offset) - 1
        for candidate in reversed(self.functions[max(0, index - 8) : index + 1]):
            if candidate.node.end_byte > offset:
                return candidate
        return None


@lru_cache(maxsize=KEPT)
def declarations_of(source: Source) -> Declarations:
    """Read a parsed file's declarations."""
    found = nodes_of(source.tree.root_node, _KINDS)
    found["enum"] = [n for n in found.get("enum", ()) if n.child_by_field_name("body")]
    found["struct"] = [n for n in found.get("struct", ()) if n.child_by_field_name("body")]
    result = Declarations(source, found.get("launch", []))
    scopes = _scopes(source, found)
    result.scopes = scopes
    result.lambdas = found.get("lambda", [])
    # Not by Node.parent, which searches all children of what it goes through.
    templates = {c.id: node for node in found.get("template", ()) for c in node.named_children}
    for node in found.get("function", ()):
        function = _function(source, node, scopes, templates.get(node.id))
        if function is not None:
            result.functions.append(function)
    for node in found.get("declaration", ()):
        is_function = any(
            d.type == "function_declarator" and made_of(node, d) is None for d in _declarators(node)
        )
        if not is_function and _macro_body(node) is None:
            continue
        function = _function(source, node, scopes, templates.get(node.id))
        if function is not None and function.body is not None:
            result.functions.append(function)
        elif function is not None:
            result.prototypes[function.name].append(function)
    for node in found.get("call", ()):
        call = call_of(source, node)
        if call is not None:
            result.calls[call.name].append(call)
    for call in [c for name in ("make_unique", "make_shared") for c in result.calls[name]]:
        if call.template is not None and len(call.template) == 1:
            class_ = _class_name(source.text_of(call.template[0]))
            result.calls[class_].append(replace(call, name=class_, template=None))
    for node in found.get("initialiser", ()):
        parts = children_of(node)
        if len(parts) == 2 and parts[1].type in _LISTS:
            target = without_arguments(_last_name(source, parts[0]))
            given = tuple(children_of(parts[1]))
            result.initialised[target].append(Call(target, source, node, parts[0], given, None))
    for node in found.get("struct", ()):
        clauses = [c for c in node.named_children if c.type == "base_class_clause"]
        named = [b for c in clauses for b in children_of(c) if b.type in _TYPES]
        name = node.child_by_field_name("name")
        if name is not None and named:
            texts = tuple(_class_name(source.text_of(b)) for b in named)
            result.bases[_class_name(source.text_of(name))] = texts
    made = (*found.get("declaration", ()), *found.get("new", ()))
    for node in sorted(made, key=lambda n: n.start_byte):
        for construction in _constructions(source, node):
            result.calls[construction.name].append(construction)
    inside = (n for each in found.get("around", ()) for n in each.named_children)
    result.globals = [n for n in inside if n.type == "declaration"]
    result.globals.sort(key=lambda n: n.start_byte)
    result.members = [n for n in found.get("member", ()) if _method(n) is None]
    for node in found.get("member", ()):
        if (name := _method(node)) is not None:
            result.methods[source.text_of(name)].append(node)
    for node in found.get("enumerator", ()):
        name = node.child_by_field_name("name")
        if name is not None:
            result.enumerators[source.text_of(name)].append(node)
    for node in (*found.get("typedef", ()), *found.get("alias", ())):
        name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        while name is not None and name.type == "pointer_declarator":
            name = name.child_by_field_name("declarator")
        if name is not None:
            result.typedefs[source.text_of(name)].append(node)
    result.records = [n for n in found["struct"] if n.type == "struct_specifier"]
    for node in found["struct"]:
        name = node.child_by_field_name("name")
        while name is not None and name.type == "qualified_identifier":  # `struct Outer::Inner {`
            name = name.child_by_field_name("name")
        if name is not None:
            result.structs.setdefault(source.text_of(name), node)
    for node in found.get("mention", ()):
        mentioned, listed = (node.child_by_field_name(f) for f in ("name", "arguments"))
        if mentioned is not None and listed is not None and not _is_callee(node):
            result.mentions.append((source.text_of(mentioned), listed))
    for node in found.get("instantiation", ()):
        name = _declared_name(node.child_by_field_name("declarator"))
        if name is not None and name.type == "template_function":
            arguments = children_of(name.child_by_field_name("arguments"))
            result.instantiations[_last_name(source, name)].append(tuple(arguments))
    return result


def _declarators(node: Node) -> list[Node]:
    return node.children_by_field_name("declarator")


def _constructions(source: Source, node: Node) -> Iterator[Call]:
    """`Solver s(256), t(512)` and `new Solver(256)` as calls of the constructor."""
    kind = node.child_by_field_name("type")
    if kind is None or kind.type not in _TYPES:
        return
    name = _class_name(source.text_of(kind))
    values = [d.child_by_field_name("value") or made_of(node, d) for d in _declarators(node)]
    for given in (*values, node.child_by_field_name("arguments")):
        if given is not None and given.type in (*_LISTS, "parameter_list"):
            yield Call(name, source, node, kind, tuple(children_of(given)), None)


def _class_name(text: str) -> str:
    """`ns::Solver<float>` as `Solver`."""
    return text.partition("<")[0].rsplit("::", 1)[-1].strip()


def _scopes(source: Source, found: dict[str, list[Node]]) -> list[Scope]:
    result = [Scope(n.name, n.start, n.end, "namespace") for n in source.namespaces]
    for kind in ("namespace", "struct", "enum"):
        for node in found.get(kind, ()):
            name = node.child_by_field_name("name")
            if name is not None:  # a specialisation is called as its template
                text = without_arguments("".join(source.text_of(name).split()))
                result.append(Scope(text, node.start_byte, node.end_byte, kind))
    return sorted(result, key=lambda s: s.start)


def _function(
    source: Source, node: Node, scopes: list[Scope], template_node: Node | None
) -> Function | None:
    declarator = function_declarator(node)
    name = _declared_name(declarator)
    if declarator is not None and node.start_point[0] + 1 in source.kernel_marks:
        name = _macro_argument(declarator) or name
    if declarator is None or name is None:
        return None
    body = node.child_by_field_name("body") or _macro_body(node)
    head = source.slice(node.start_byte, declarator.start_byte)
    around = [s for s in scopes if s.start < node.start_byte and node.end_byte <= s.end]
    written = declarator.child_by_field_name("declarator")
    is_macro = written is not None and written.type == "function_declarator"
    qualified = source.text_of(name if written is None or is_macro else written)
    parameters = [
        parameter_of(source, p)
        for p in children_of(declarator.child_by_field_name("parameters"))
        if p.type in _PARAMETERS
    ]
    if len(parameters) == 1 and parameters[0].written == "void":
        parameters = []
    return Function(
        _last_name(source, name),
        "::".join((*(s.name for s in around), without_arguments("".join(qualified.split())))),
        source,
        node,
        name,
        body,
        tuple(parameters),
        template_parameters(source, template_node),
        template_node,
        frozenset(re.findall(r"__global__|__device__|__host__", head))
        | ({"__global__"} if node.start_point[0] + 1 in source.kernel_marks else frozenset()),
        any(s.is_class for s in around) or "::" in qualified,
    )


def _macro_body(node: Node) -> Node | None:
    """The body of a function that holds nothing but a macro's call, `void f() { BODY(float) }`.

    Without a `;` behind the call the grammar takes the function for a variable with a list.
    """
    declarator = node.child_by_field_name("declarator")
    if declarator is None or declarator.type != "init_declarator":
        return None
    value = declarator.child_by_field_name("value")
    is_list = value is not None and value.type == "initializer_list"
    return value if is_list and function_declarator(declarator) is not None else None


def _declared_name(declarator: Node | None) -> Node | None:
    """The name in a function declarator: an identifier or a template_function."""
    while declarator is not None:
        if declarator.type in _NAMES:
            return declarator
        if declarator.type in ("template_method", "dependent_name"):
            return None
        declarator = declarator.child_by_field_name(
            "name" if declarator.type == "qualified_identifier" else "declarator"
        )
    return None


def _is_callee(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type in (
        "qualified_identifier",
        "parenthesized_expression",
    ):
        node, parent = parent, parent.parent
    if parent is None or parent.type != "call_expression":
        return False
    return parent.child_by_field_name("function") == node


def _method(member: Node) -> Node | None:
    """The name of a method that a class declares; None of a field."""
    declarator = member.child_by_field_name("declarator")
    while declarator is not None and declarator.type.endswith(("pointer_declarator",)):
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or declarator.type != "function_declarator":
        return None
    return declarator.child_by_field_name("declarator")


def _macro_argument(declarator: Node) -> Node | None:
    """`name` in `KERNEL(name)(float *a) {…}`, whose macro makes it a function."""
    macro = declarator.child_by_field_name("declarator")
    if macro is None or macro.type != "function_declarator":
        return None
    parameters = children_of(macro.child_by_field_name("parameters"))
    return parameters[0].child_by_field_name("type") if len(parameters) == 1 else None


def _last_name(source: Source, node: Node) -> str:
    inner = node.child_by_field_name("name")
    return source.text_of(inner if inner is not None else node)


def call_of(source: Source, node: Node) -> Call | None:
    """Read a call_expression; None if what is called has no name."""
    function = node.child_by_field_name("function")
    arguments = tuple(children_of(node.child_by_field_name("arguments")))
    template: tuple[Node, ...] | None = None
    through_object = False
    for _ in range(8):
        if function is None:
            return None
        if function.type == "field_expression":
            through_object = True
            function = function.child_by_field_name("field")
        elif function.type in ("template_function", "template_method"):
            template = tuple(children_of(function.child_by_field_name("arguments")))
            function = function.child_by_field_name("name")
        elif function.type == "qualified_identifier":
            function = function.child_by_field_name("name")
        elif function.type == "parenthesized_expression":
            children = children_of(function)
            function = children[0] if len(children) == 1 else None
        elif function.type == "pointer_expression":
            function = function.child_by_field_name("argument")
        elif function.type in ("identifier", "field_identifier"):
            break
        else:
            return None
    if function is None or function.type not in ("identifier", "field_identifier"):
        return None
    name = source.text_of(function)
    return Call(name, source, node, function, arguments, template, through_object)
