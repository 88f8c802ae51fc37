"""The literals, calls, operations, casts and declarations of a file's device code, with spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from perflint.base.constructs import (
    Call,
    Cast,
    Constructs,
    Declaration,
    Fragment,
    FunctionSource,
    Literal,
    LoopSource,
    MacroSource,
    Operation,
    ParameterSource,
    RecordSource,
    StatementSource,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.base.text_lines import lines_of
from perflint.frontend.source.language.declarations import Function
from perflint.frontend.source.language.declarators import (
    ALIGNED,
    declarator_of,
    parameter_of,
    template_parameters,
    type_words,
)
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.tokens import without_comments
from perflint.frontend.source.language.trees import (
    Source,
    children_of,
    function_declarator,
    spelled,
)
from perflint.frontend.source.launches.host_copies import host_copies
from perflint.frontend.source.launches.launch_extents import launch_sources
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project

if TYPE_CHECKING:
    from tree_sitter import Node

Found = TypeVar("Found")

LIMIT = 50_000  #: constructs of a kind that are read from one file
#: What ends a turn of a loop early.
_JUMPS = ("break", "continue", "return", "goto")
_KINDS = kinds(
    literal="number_literal",
    call="call_expression",
    operation="binary_expression assignment_expression",
    cast="cast_expression call_expression",
    declaration="declaration",
    name="identifier",
    loop="for_statement while_statement do_statement",
    statement="expression_statement declaration return_statement goto_statement condition_clause",
    subscript="subscript_expression",
    field="field_expression",
    change="assignment_expression update_expression pointer_expression",
)
_FUNCTION_MACRO = pattern(r"\s*#\s*define\s+(\w+)\(([\w\s,]*)\)\s+(\S.*)")
#: `static constexpr unsigned int WIDTH = 16, HEIGHT = 8;`: the names and their values.
_CONSTANTS = pattern(
    r"(?:(?:static|inline|__device__) +)*(?:const|constexpr) +(?:(?:static|const|constexpr) +)*"
    r"(?:(?:unsigned|int|long|short|std::size_t|size_t|auto) +)+"
    r"(\w+ *= *\d+ *(?:, *\w+ *= *\d+ *)*;)"
)
_CONSTANT = pattern(r"(\w+) *= *(\d+) *(?=[,;])")
#: `__constant__ float table[64];`, wherever it stands: its name. A declaration of several names
#: moves all of them at once, and is none of these.
_CONSTANT_MEMORY = pattern(
    r"\b(__constant__)\s+(?:\w+\s*\((?:[^()]|\([^()]*\))*\)\s*)?[\w\s:<>]{1,200}?\b(\w+)\s*"
    r"(?:\[[^\];]*\]\s*)*(?:=\s*\{[^;]*\}\s*|=\s*[^{},;]*)?;"
)
#: The braces of a structure whose fields are all of one type.
_ALIKE = pattern(
    r"\{ ?(?P<type>float|double) (?:\w+ ?, ?)*\w+ ?; ?(?:(?P=type) (?:\w+ ?, ?)*\w+ ?; ?)*\}"
)
_COORDINATE = pattern(r"(?:threadIdx|blockIdx|blockDim|gridDim)\.[xy]")
_WORD = pattern(r"[A-Za-z_]\w*")
_RESTRICT = ("__restrict__", "__restrict", "restrict")


@lru_cache(maxsize=16)
def constructs_of(path: Path, text: str) -> Constructs:
    """What stands in the device code of one file, given its text."""
    file = Project(path, text, {}).main
    read = _Reader(file, lines_of(text))
    return Constructs(
        literals=tuple(read.each("literal", read.literal)),
        calls=tuple(read.each("call", read.call)),
        operations=tuple(read.each("operation", read.operation)),
        casts=tuple(read.each("cast", read.cast)),
        declarations=tuple(d for found in read.each("declaration", read.declared) for d in found),
        functions=tuple(map(read.function, read.functions)),
        macros=tuple(_macros(path, text)),
        function_macros=tuple(_function_macros(path, text)),
        constants=tuple(_constants(path, text)),
        constant_memory=tuple(_constant_memory(path, text)),
        names=tuple(read.each("name", read.fragment)),
        subscripts=tuple(read.each("subscript", read.fragment)),
        parts=tuple(read.each("field", read.part)),
        loops=tuple(read.each("loop", read.loop)),
        statements=tuple(read.each("statement", read.statement)),
        changes=tuple(read.each("change", read.changed)),
        records=tuple(map(read.record, file.declarations.records[:LIMIT])),
        launches=tuple(launch_sources(file)),
        copies=tuple(host_copies(file)),
        coordinates=tuple(read.each("field", read.coordinate)),
    )


def _is_cast(node: Node) -> bool:
    """`(float)x`, `float(x)` and `static_cast<float>(x)`."""
    if node.type == "cast_expression":
        return True
    function = node.child_by_field_name("function")
    return function is not None and function.type in ("template_function", "primitive_type")


def _changed(node: Node) -> Node | None:
    """What an expression changes, or may: what it takes the address of."""
    if node.type == "assignment_expression":
        return node.child_by_field_name("left")
    operator = node.child_by_field_name("operator")
    if node.type == "pointer_expression" and (operator is None or operator.type != "&"):
        return None
    return node.child_by_field_name("argument")


class _Reader:
    """The nodes of a file's device functions, and what they say."""

    def __init__(self, file: File, lines: Sequence[str]) -> None:
        self.source: Source = file.source
        self.lines = lines
        self.functions = [
            f for f in file.declarations.functions if f.on_device and f.body is not None
        ]
        self.words = Counter(_WORD.findall(without_comments("\n".join(lines))))
        self._nodes: dict[str, list[Node]] = {}
        for function in self.functions:
            assert function.body is not None
            for kind, nodes in nodes_of(function.body, _KINDS).items():
                self._nodes.setdefault(kind, []).extend(nodes)
        self._nodes["cast"] = [n for n in self._nodes.get("cast", ()) if _is_cast(n)]
        self._nodes["change"] = [*filter(None, map(_changed, self._nodes.get("change", ())))]
        for nodes in self._nodes.values():  # functions may stand in functions
            nodes.sort(key=lambda node: node.start_byte)

    def each(self, kind: str, read: Callable[[Node], Found | None]) -> Iterator[Found]:
        for node in self._nodes.get(kind, ())[:LIMIT]:
            found = read(node)
            if found is not None:
                yield found

    def span(self, node: Node) -> Span:
        return self.source.span(node)

    def text(self, node: Node) -> str:
        return " ".join(self.source.text_of(node).split())

    def fragment(self, node: Node) -> Fragment:
        return Fragment(self.text(node), self.span(node))

    def statement(self, node: Node) -> StatementSource:
        span = self.span(node)
        return StatementSource(
            self.text(node), span, self.block(node), _own_lines(self.lines, span)
        )

    def block(self, node: Node) -> Span | None:
        """The braces among whose statements a node stands."""
        parent = node.parent
        among = parent is not None and parent.type == "compound_statement"
        return self.span(parent) if parent is not None and among else None

    def record(self, node: Node) -> RecordSource:
        body, name, around = (
            node.child_by_field_name("body"),
            node.child_by_field_name("name"),
            node,
        )
        assert body is not None
        if node.parent is not None and node.parent.type == "type_definition":
            around = node.parent
        called = [name, *around.children_by_field_name("declarator")]
        span, inside = self.span(node), self.span(body)
        head = "\n".join(self.lines[span.line - 1 : inside.line])
        plain = _ALIKE.fullmatch(self.text(body))
        kind = plain["type"] if plain is not None else ""
        return RecordSource(
            frozenset(self.text(each) for each in called if each is not None),
            span,
            self.span(node.children[0]),
            bool(ALIGNED.search(head)),
            frozenset(_WORD.findall(self.text(body))),
            kind,
            tuple(word for word in _WORD.findall(self.text(body)) if kind and word != kind),
        )

    def literal(self, node: Node) -> Literal:
        return Literal(self.text(node), self.span(node))

    def call(self, node: Node) -> Call | None:
        function = node.child_by_field_name("function")
        if function is None:
            return None
        name = function
        if function.type == "template_function":
            name = function.child_by_field_name("name") or function
        arguments = children_of(node.child_by_field_name("arguments"))
        return Call(
            self.text(name), self.span(node), self.span(name), tuple(map(self.fragment, arguments))
        )

    def operation(self, node: Node) -> Operation | None:
        sides = [node.child_by_field_name(side) for side in ("operator", "left", "right")]
        operator, left, right = sides
        if operator is None or left is None or right is None:
            return None
        return Operation(
            self.text(operator), self.span(node), self.fragment(left), self.fragment(right)
        )

    def cast(self, node: Node) -> Cast | None:
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        function = node.child_by_field_name("function")
        if function is not None:  # `static_cast<float>(x)`, `float(x)`
            name, values = (
                function.child_by_field_name("name"),
                node.child_by_field_name("arguments"),
            )
            if name is not None and self.text(name) != "static_cast":
                return None
            types = children_of(function.child_by_field_name("arguments"))
            kind, value = (*types, function)[0], next(iter(children_of(values)), None)
        if kind is None or value is None:
            return None
        return Cast(self.text(kind), self.span(node), self.fragment(value))

    def loop(self, node: Node) -> LoopSource | None:
        body = node.child_by_field_name("body")
        if body is None:
            return None
        parts = {}
        for field in ("initializer", "condition", "update"):
            part = node.child_by_field_name(field)
            if part is not None:
                parts[field] = self.fragment(part)
        initial = parts.get("initializer")
        if initial is not None and initial.text.endswith(";"):  # a declaration has its own
            span = replace(initial.span, end_column=initial.span.end_column - 1)
            initial = Fragment(initial.text.removesuffix(";").rstrip(), span)
        return LoopSource(
            node.type.removesuffix("_statement"),
            self.span(node),
            self.span(body),
            initial,
            parts.get("condition"),
            parts.get("update"),
            self.block(node) is not None,
            self.line_start(self.span(node)),
            self.block(node),
            self.jumps(body),
        )

    def jumps(self, body: Node) -> bool:
        found = (n for word in _JUMPS for n in spelled(body, self.source.bytes, word))
        return any(node.type in _JUMPS for node in found)

    def line_start(self, span: Span) -> str:
        """The end of a line and the indent of a stretch that is alone on its lines; else ""."""
        before = self.lines[span.line - 1][: span.column - 1]
        behind = self.lines[span.end_line - 1][span.end_column - 1 :]
        return "" if before.strip() or behind.strip() else f"\n{before}"

    def part(self, node: Node) -> Fragment | None:
        of = node.child_by_field_name("argument")
        return self.fragment(node) if of is not None and of.type == "subscript_expression" else None

    def coordinate(self, node: Node) -> Fragment | None:
        found = self.fragment(node)
        return found if _COORDINATE.fullmatch(found.text) else None

    def changed(self, node: Node) -> Fragment | None:
        """The variable that a change of `node` changes: of `a[i].x` it is `a`."""
        inner: Node | None = node
        while inner is not None and inner.type not in ("identifier", "this"):
            fields = ("argument", "value", "left")
            children = (inner.child_by_field_name(field) for field in fields)
            inner = next((c for c in children if c is not None), None) or next(
                iter(inner.named_children), None
            )
        return Fragment(self.text(inner), self.span(node)) if inner is not None else None

    def declared(self, node: Node) -> list[Declaration]:
        kind = node.child_by_field_name("type")
        if kind is None:
            return []
        words = {"type_qualifier", "storage_class_specifier"}
        qualifiers = frozenset(self.text(c) for c in node.named_children if c.type in words)
        out = []
        for declarator in node.children_by_field_name("declarator"):
            name, _, _, extents = declarator_of(declarator)
            if name is None:
                continue
            out.append(
                Declaration(
                    self.source.text_of(name),
                    type_words(self.source.text_of(kind)),
                    qualifiers,
                    tuple(self.fragment(e) for e in extents if e is not None),
                    self.span(declarator),
                    self.span(name),
                    self.span(kind),
                )
            )
        return out

    def function(self, function: Function) -> FunctionSource:
        assert function.body is not None
        listed = _parameter_list(function)
        return FunctionSource(
            name=function.name,
            span=self.source.span(function.template_node or function.node, function.node),
            body=self.span(function.body),
            parameters=tuple(map(self.parameter, listed)),
            kernel="__global__" in function.qualifiers,
            template=bool(function.template),
            mentions=self.words[function.name],
            types=frozenset(
                each.name
                for each in template_parameters(self.source, function.template_node)
                if each.is_type
            ),
        )

    def parameter(self, node: Node) -> ParameterSource:
        read = parameter_of(self.source, node)
        name, pointers, _, _ = declarator_of(node.child_by_field_name("declarator"))
        text = self.text(node)
        words = text.replace("*", " * ").split()
        return ParameterSource(
            name=read.name,
            type=read.written,
            span=self.span(node),
            name_span=self.span(name) if name is not None else None,
            pointer=pointers > 0,
            const="const" in words[: words.index("*")] if "*" in words else "const" in words,
            restrict=any(word in text for word in _RESTRICT),
        )


def _own_lines(lines: Sequence[str], span: Span) -> Span | None:
    """The lines that nothing but a stretch and a comment at its end stands on; None without such.

    A blank line before them is one of them where another blank line or a brace follows.
    """
    before = lines[span.line - 1][: span.column - 1]
    behind = lines[span.end_line - 1][span.end_column - 1 :].strip()
    if before.strip() or (behind and not behind.startswith("//")) or behind.endswith("\\"):
        return None
    first, last = span.line, span.end_line
    if last >= len(lines):
        return None
    follows = lines[last].strip()
    if first > 1 and not lines[first - 2].strip() and (not follows or follows == "}"):
        first -= 1
    return replace(span, line=first, column=1, end_line=last + 1, end_column=1)


def _parameter_list(function: Function) -> list[Node]:
    """The parameter declarations of a function's own list."""
    node = function_declarator(function.node)
    kinds = ("parameter_declaration", "optional_parameter_declaration")
    listed = node.child_by_field_name("parameters") if node is not None else None
    return [c for c in children_of(listed) if c.type in kinds]


def _macros(path: Path, text: str) -> Iterator[MacroSource]:
    """Object-like macros that are written on one line."""
    for number, line in enumerate(lines_of(text), 1):
        head = line.lstrip()
        if not head.startswith("#"):
            continue
        words = head[1:].split(maxsplit=2)
        if len(words) < 3 or words[0] != "define" or "(" in words[1] or line.endswith("\\"):
            continue
        body = words[2].split("//")[0].split("/*")[0].rstrip()
        if body:
            column = line.rindex(words[2]) + 1
            yield MacroSource(
                words[1], body, Span(path, number, column, number, column + len(body))
            )


def _function_macros(path: Path, text: str) -> Iterator[MacroSource]:
    """Function-like macros that are written on one line."""
    for number, line in enumerate(lines_of(text), 1):
        found = _FUNCTION_MACRO.match(line)
        if found is not None and not line.endswith("\\"):
            body = found[3].split("//")[0].split("/*")[0].rstrip()
            begin = found.start(3) + 1
            place = Span(path, number, begin, number, begin + len(body))
            parameters = tuple(word.strip() for word in found[2].split(","))
            yield MacroSource(found[1], body, place, parameters)


def _constants(path: Path, text: str) -> Iterator[MacroSource]:
    """Integer constants at the beginning of a line, as those outside of functions are written."""
    for number, line in enumerate(lines_of(text), 1):
        declared = _CONSTANTS.match(line)
        for found in _CONSTANT.finditer(line, *declared.span(1)) if declared is not None else ():
            begin, end = found.span(2)
            yield MacroSource(found[1], found[2], Span(path, number, begin + 1, number, end + 1))


def _constant_memory(path: Path, text: str) -> Iterator[Fragment]:
    """Variables in constant memory, each with the place of its `__constant__`."""
    if "__constant__" not in text:
        return
    code = without_comments(text)
    for found in _CONSTANT_MEMORY.finditer(code):
        begin = found.start(1)
        line = code.count("\n", 0, begin) + 1
        column = begin - code.rfind("\n", 0, begin)
        end = column + len(found[1])
        yield Fragment(found[2], Span(path, line, column, line, end))
