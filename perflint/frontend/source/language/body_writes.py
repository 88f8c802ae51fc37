"""What the text of one function writes: declarations, assignments, steps, addresses given away.

Nothing is said here of which write a value comes from; `reaching_definitions` asks that.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.c_types import basic_type
from perflint.frontend.source.language.declarators import (
    Definition,
    declarator_of,
    declared,
    regions_of,
    shifted,
    type_words,
)
from perflint.frontend.source.language.node_kinds import kinds, nodes_of
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: Plain kinds of nodes, as in `declarations`.
_KINDS = kinds(
    declaration="declaration",
    assignment="assignment_expression",
    update="update_expression",
    pointer="pointer_expression",
    binary="binary_expression",
    output="gnu_asm_output_operand",
    range="for_range_loop",
    call="call_expression",
    access="subscript_expression pointer_expression field_expression",
    catch="catch_clause",
    conditional="conditional_expression",
    block="compound_statement",
    label="labeled_statement",
    preproc="preproc_if preproc_ifdef preproc_else preproc_elif",
    **{k: f"{k}_statement" for k in ("if", "for", "while", "do", "case", "switch")},
    **{"lambda": "lambda_expression"},
)
#: The operators of expressions that access memory; a subscript always does.
_ACCESSES = {"pointer_expression": "*", "field_expression": "->"}
#: Copies of the CUDA runtime and driver, and which of their arguments is what they copy from.
COPIED_FROM = {
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), 1),
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync", "cuMemcpyHtoD", "cuMemcpyHtoDAsync"), 1),
    **dict.fromkeys(("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", "memcpy"), 1),
    **dict.fromkeys(("cudaMemcpy2D", "cudaMemcpy2DAsync", "cublasSetVector"), 2),
    **dict.fromkeys(("cublasSetMatrix", "cublasSetMatrixAsync"), 3),
}
#: Functions that write to nothing they are given.
READS = pattern(r"v?f?printf|f?puts|fwrite|puts|str(?:n?cmp|len)|memcmp|free|fclose|fflush|assert")
#: Allocators of rows: which of their arguments they write the rows' distance to, and the bytes.
PITCHES = {**dict.fromkeys(("cudaMallocPitch", "cuMemAllocPitch", "cuMemAllocPitch_v2"), (1, 2))}
POINTEE = "*"  #: the member that `*p = 4` writes
#: Uses of a pointer to a vector that leave its length: `: *v)`, `(*v)[i]`, `v->size()`.
_READS = r"(?:size|data|begin|end|empty|at|front|back|cbegin|cend)\b"
_KEEPS = r":\s*\*\s*{0}\s*\)|\(\s*\*\s*{0}\s*\)\s*(?:\[|\.\s*{1})|\b{0}\s*->\s*{1}"


def _is_access(node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    wanted = _ACCESSES.get(node.type)
    return wanted is None or (operator is not None and operator.type == wanted)


class BodyWrites:
    """Every write of one function, by the name of what is written, and its regions."""

    def __init__(self, source: Source, function: Node, parameters: Mapping[str, str]) -> None:
        self._source = source
        self.parameters = parameters  #: name → type
        #: fields, and globals with a qualified name, that the function writes or gives away
        self.escaping: set[str] = set()
        #: for the fields of `escaping`, the types of the objects that are written through, `this`
        #: for a method's own; "" for one that is not known
        self.through: dict[str, set[str]] = defaultdict(set)
        self.own: dict[str, list[Definition]] = defaultdict(list)  #: writes to `this->name`
        self.start, self.end = function.start_byte, function.end_byte
        self.definitions: dict[str, list[Definition]] = defaultdict(list)
        found = nodes_of(function, _KINDS)
        self.labels = [n.start_byte for n in found.get("label", ())]
        self.regions = regions_of(source, found)
        scopes = [(n.start_byte, n.end_byte) for n in found.get("block", ())]
        scopes += [(n.start_byte, n.end_byte) for n in found.get("for", ())]
        self._scopes = sorted(scopes)
        self.calls = found.get("call", [])
        self.accesses = [
            n for n in found.get("access", ()) if _is_access(n)
        ]  #: `a[i]`, `*p`, `p->x`
        #: expressions that change something
        self.steps: list[Node] = [*found.get("update", ()), *found.get("assignment", ())]
        for node in found.get("declaration", ()):
            end = self._scope_end(node.start_byte)
            for definition in declared(source, node, end):
                self.definitions[definition.name].append(definition)
        self._assignments(found)

    def text_of(self, node: Node) -> str:
        return self._source.text_of(node)

    def visible(self, name: str, at: int) -> Definition | None:
        """The local declaration that a name refers to at a byte offset; None: not a local."""
        best = None
        for definition in self.definitions.get(name, ()):
            if definition.start >= at:
                break
            if definition.declares and at < definition.scope_end:
                best = definition
        return best

    def type_words(self, definition: Definition) -> list[str]:
        """The words of the type of the variable that is written, or whose member is."""
        declaration = self.visible(definition.name, definition.start)
        kind = declaration.type if declaration is not None else ""
        return (kind or self.parameters.get(definition.name, "")).replace("::", " ").split()

    @cached_property
    def written_members(self) -> Mapping[str, list[Definition]]:
        """Writes to a member of a variable, or unknown ones to a whole one, by its type's words."""
        found: dict[str, list[Definition]] = defaultdict(list)
        for definition in (each for some in self.definitions.values() for each in some):
            if definition.member is not None or not definition.known:
                for word in dict.fromkeys(self.type_words(definition)):
                    found[word].append(definition)
        return found

    def _scope_end(self, at: int) -> int:
        end = self.end
        for start, stop in self._scopes:
            if start > at:
                break
            if at < stop:
                end = min(end, stop)
        return end

    def _of_range(self, node: Node, name: str) -> None:
        """The variable of `for (auto &each : all)`; through a reference, elements may change."""
        kind, right = node.child_by_field_name("type"), node.child_by_field_name("right")
        reference = declarator_of(node.child_by_field_name("declarator"))[2]
        constant = any(self.text_of(c) == "const" for c in node.children if c.is_named)
        variable = Definition(
            name,
            node.start_byte + 1,
            value=right,
            known=False,
            declares=True,
            type=type_words(self.text_of(kind)) if kind is not None else "",
            constant=constant,
            reference=reference,
            scope_end=node.end_byte,
        )
        self.definitions[name].append(variable)
        if reference and not constant and right is not None and right.type == "identifier":
            through = Definition(
                self.text_of(right), node.start_byte + 1, known=False, element=True
            )
            self.definitions[through.name].append(through)

    def _assignments(self, found: dict[str, list[Node]]) -> None:
        add = self._add
        for node in found.get("assignment", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            plain = operator is not None and operator.type == "="
            while plain and right is not None and right.type == "assignment_expression":
                right = right.child_by_field_name("right")  # `a = b = 4`
            add(left, node.start_byte, right if plain else None, None if plain else node)
        for node in found.get("update", ()):
            add(node.child_by_field_name("argument"), node.start_byte, None, node)
        for node in found.get("range", ()):
            name = declarator_of(node.child_by_field_name("declarator"))[0]
            if name is not None:
                self._of_range(node, self._source.text_of(name))
        # `void *arguments[] = {&n}` hands a value to cudaLaunchKernel, which only reads it.
        listed = {node.id for each in found.get("declaration", ()) for node in self._listed(each)}
        listed |= {node.id for call in self.calls for node in self._copied_from(call)}
        rows = dict(pair for call in self.calls for pair in self._rows(call))
        ranged = {n.id for each in found.get("range", ()) for n in self._through_pointers(each)}
        for node in found.get("pointer", ()):
            if node.id in ranged:
                continue
            if operator_of(node) == "&" and node.id not in listed:
                given, bytes_ = node.child_by_field_name("argument"), rows.get(node.id)
                kept = node.parent is not None and node.parent.type == "initializer_list"
                add(given, node.start_byte, bytes_, pitch=bytes_ is not None, kept=kept)
        for node in found.get("output", ()):
            if (operand := node.child_by_field_name("value")) is not None:
                add(operand, operand.start_byte, None)
        for node in found.get("binary", ()):
            if operator_of(node) == ">>" and self._may_be_stream(node):
                for operand in shifted(node):
                    add(operand, node.start_byte, None)

    def _through_pointers(self, loop: Node) -> Iterator[Node]:
        """The `&a` of `for (auto *v : {&a, &b}) …` which writes elements of vectors alone."""
        listed = loop.child_by_field_name("right")
        name = declarator_of(loop.child_by_field_name("declarator"))[0]
        if listed is None or listed.type != "initializer_list" or name is None:
            return
        if keeps_length(self.text_of(loop), self.text_of(name)):
            for each in filter(_is_address, children_of(listed)):
                through = self.text_of(children_of(each)[-1])
                written = Definition(through, loop.start_byte + 1, known=False, element=True)
                self.definitions[through].append(written)
                yield each

    def _listed(self, declaration: Node) -> Iterator[Node]:
        """The `&n` and `&m` of `void *arguments[] = {&n, (void *)&m}`."""
        kind = declaration.child_by_field_name("type")
        if kind is None or self._source.text_of(kind) != "void":
            return
        for declarator in declaration.children_by_field_name("declarator"):
            for item in children_of(declarator.child_by_field_name("value")):
                is_cast = item.type == "cast_expression"
                inner = item.child_by_field_name("value") if is_cast else item
                if inner is not None and inner.type == "pointer_expression":
                    yield inner

    def _copied_from(self, call: Node) -> Iterator[Node]:
        """The `&n` of `cudaMemcpyToSymbol(size, &n, sizeof(n))`, which only reads it."""
        function = call.child_by_field_name("function")
        position = COPIED_FROM.get(self._source.text_of(function) if function is not None else "")
        arguments = children_of(call.child_by_field_name("arguments"))
        if position is not None and position < len(arguments):
            source = arguments[position]
            while source.type == "cast_expression" and (
                inner := source.child_by_field_name("value")
            ):
                source = inner
            yield source

    def _rows(self, call: Node) -> Iterator[tuple[int, Node]]:
        """The `&pitch` of `cudaMallocPitch(&p, &pitch, bytes, rows)` by its identity, and bytes."""
        function = call.child_by_field_name("function")
        while function is not None and function.type == "template_function":
            function = function.child_by_field_name("name")
        at = PITCHES.get(self._source.text_of(function) if function is not None else "")
        arguments = children_of(call.child_by_field_name("arguments"))
        if at is not None and max(at) < len(arguments):
            yield arguments[at[0]].id, arguments[at[1]]

    def _may_be_stream(self, node: Node) -> bool:
        """Whether `a >> b` may read b from a stream: a is not seen to be a number."""
        first: Node | None = node
        while first is not None and first.type == "binary_expression":
            first = first.child_by_field_name("left")
        if first is None or first.type != "identifier":
            return first is not None and first.type == "qualified_identifier"
        name = self._source.text_of(first)
        declaration = self.visible(name, node.start_byte)
        kind = declaration.type if declaration is not None else self.parameters.get(name)
        if kind is None:
            return not name.isupper()  # `cin`; a macro or a constant is a number
        return kind != "auto" and basic_type(tuple(kind.split())) is None

    def _element(self, node: Node) -> str | None:
        """`[3]` of `a[3]`; None where the index is no literal."""
        inner = "".join(self._source.text_of(c) for c in children_of(node)[1:]).strip("[] ")
        return f"[{int(inner)}]" if inner.isdecimal() and len(inner) < 8 else None

    def _escapes(self, field: str, target: Node | None) -> None:
        """A field, or a qualified name, is written through an object of this function."""
        self.escaping.add(field)
        kind = "this" if target is not None and target.type == "this" else ""
        if target is not None and target.type == "identifier":
            name = self._source.text_of(target)
            declaration = self.visible(name, target.start_byte)
            kind = declaration.type if declaration is not None else self.parameters.get(name, "")
        self.through[field].add("" if kind == "auto" else kind)

    def _add(
        self,
        target: Node | None,
        start: int,
        value: Node | None,
        step: Node | None = None,
        pitch: bool = False,
        kept: bool = False,
    ) -> None:
        """A write to `name`, `name.member` or `name[…]`."""
        member, known = None, value is not None
        while target is not None and target.type == "parenthesized_expression":
            children = children_of(target)
            target = children[0] if children else None
        path: list[str] = []
        while target is not None and target.type == "field_expression":
            field = target.child_by_field_name("field")
            pointed = any(c.type in (".*", "ERROR") for c in target.children)  # `a.*p`, `a->*p`
            target = target.child_by_field_name("argument")
            if pointed:  # whichever member that is
                path, known, field = [], False, None
            if field is not None:
                path.insert(0, self._source.text_of(field))
                self._escapes(path[0], target)  # `this->grid.x = 4` writes to `grid`, too
            while target is not None and target.type == "parenthesized_expression":
                target = next(iter(children_of(target)), None)
            if path and target is not None and target.type == "pointer_expression":
                target = target.child_by_field_name("argument")  # `(*p).n = 4`
        if path and target is not None:
            member = ".".join(path)
            if target.type == "this":
                inner = ".".join(path[1:]) or None
                written = Definition(path[0], start, inner, value, known, pitch=pitch, kept=kept)
                self.own[path[0]].append(written)
        elif target is not None and target.type == "pointer_expression":
            target, member = target.child_by_field_name("argument"), POINTEE
            if target is None or target.type != "identifier":
                return
        element, part = target is not None and target.type == "subscript_expression", ""
        if target is not None and element:
            deeper, part = member is not None, member or ""
            member, known = (None, False) if deeper else (self._element(target), known)
            known = known and member is not None
            target = target.child_by_field_name("argument")
            while target is not None and target.type == "subscript_expression":
                target, member, known = target.child_by_field_name("argument"), None, False
            field = target.child_by_field_name("field") if target is not None else None
            if field is not None:
                self._escapes(self._source.text_of(field), None)
        if target is not None and target.type == "qualified_identifier":
            self._escapes(self._source.text_of(target).rpartition("::")[2].strip(), None)
        elif target is not None and target.type == "identifier":
            name = self._source.text_of(target)
            plain = step is not None and _is_plain(step)
            self.definitions[name].append(
                Definition(
                    name,
                    start,
                    member,
                    value if known else None,
                    known,
                    step=step if plain else None,
                    element=element,
                    part=part,
                    pitch=pitch,
                    kept=kept,
                )
            )


def keeps_length(text: str, pointer: str) -> bool:
    """Whether a pointer to a vector, declared in a text, is used there for its elements alone."""
    uses = len(re.findall(rf"\b{pointer}\b", text)) - 1
    return uses == len(re.findall(_KEEPS.format(pointer, _READS), text))


def _is_address(node: Node) -> bool:
    """Whether it is `&name`."""
    plain = node.type == "pointer_expression" and operator_of(node) == "&"
    return plain and children_of(node)[-1].type == "identifier"


def operator_of(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _is_plain(step: Node) -> bool:
    """Whether a step changes a variable or a member of one, and no element."""
    field = "left" if step.type == "assignment_expression" else "argument"
    target = step.child_by_field_name(field)
    if target is not None and target.type == "field_expression":
        target = target.child_by_field_name("argument")
    return target is not None and target.type == "identifier"
