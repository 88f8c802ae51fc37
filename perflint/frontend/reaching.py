"""Which assignment a variable's value at one place comes from.

The reaching definition is found in structured code only: one that every path to the place passes
and that nothing may have overwritten since. In every other case (a branch, a loop, an address
given away, a label) the answer is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from perflint.frontend.declarations import Function, call_of, declarator_of, type_words
from perflint.frontend.trees import Source, captures, named

if TYPE_CHECKING:
    from tree_sitter import Node

_PATTERN = """
(declaration) @declaration
(assignment_expression) @assignment
(update_expression) @update
(pointer_expression operator: "&") @address
(expression_statement (binary_expression operator: ">>") @shift)
(condition_clause value: (binary_expression operator: ">>") @shift)
(initializer_list (pointer_expression) @listed)
(initializer_list (cast_expression value: (pointer_expression) @listed))
(for_range_loop) @range
(call_expression) @call
(if_statement) @if
(for_statement) @for
(while_statement) @while
(do_statement) @do
(case_statement) @case
(switch_statement) @switch
(lambda_expression) @lambda
(catch_clause) @catch
(conditional_expression) @conditional
(compound_statement) @block
(labeled_statement) @label
(preproc_if) @preproc (preproc_ifdef) @preproc (preproc_else) @preproc (preproc_elif) @preproc
"""
_LEAVES = ("return_statement", "break_statement", "throw_statement")
_SPACES = {"__shared__": "shared", "__constant__": "constant", "__device__": "global"}
_CASE_LIMIT = 5_000
#: A variable written more often than this in one function counts as unknown.
DEFINITION_LIMIT = 300
_EXITS = ("exit", "abort", "_exit", "usage")


@dataclass(frozen=True, eq=False)
class Definition:
    """One place where a variable gets a value, or may."""

    name: str
    start: int  #: byte offset
    member: str | None = None  #: `x` in `block.x = 4`
    value: Node | None = None  #: the value's expression, argument list or initialiser list
    known: bool = True  #: False: written in a way that tells nothing of the value
    declares: bool = False
    type: str = ""  #: the declared type's words
    pointers: int = 0
    extents: tuple[Node | None, ...] = ()
    constant: bool = False  #: const or constexpr
    static: bool = False
    space: str = ""  #: `shared`, `constant`, `global` by `__shared__` and its kin
    scope_end: int = 0  #: for declarations: where the name goes out of scope


@dataclass(frozen=True, eq=False)
class Region:
    """Code that runs under a condition, any number of times, or later."""

    kind: str  #: `then`, `else`, `loop`, `case`, `lambda`, `other`
    start: int
    end: int
    node: Node
    group: int = 0  #: the statement it belongs to
    leaves: bool = False  #: control never falls out of its end


class Body:
    """The definitions and regions of one function."""

    def __init__(self, source: Source, function: Node, parameters: tuple[str, ...]) -> None:
        self._source = source
        self.parameters = parameters
        self.start, self.end = function.start_byte, function.end_byte
        self.definitions: dict[str, list[Definition]] = defaultdict(list)
        found = captures(function, _PATTERN)
        self.labels = [n.start_byte for n in found.get("label", ())]
        self.regions = _regions(source, found)
        scopes = [(n.start_byte, n.end_byte) for n in found.get("block", ())]
        scopes += [(n.start_byte, n.end_byte) for n in found.get("for", ())]
        self._scopes = sorted(scopes)
        self.calls = found.get("call", [])
        for node in found.get("declaration", ()):
            end = self._scope_end(node.start_byte)
            for definition in declared(source, node, end):
                self.definitions[definition.name].append(definition)
        self._assignments(found)
        for definitions in self.definitions.values():
            definitions.sort(key=lambda d: d.start)
            if len(definitions) > DEFINITION_LIMIT:
                name = definitions[0].name
                unknown = Definition(
                    name, self.start, known=False, declares=True, scope_end=self.end
                )
                definitions[:] = [unknown]

    @cached_property
    def passed(self) -> dict[str, set[tuple[str, int]]]:
        """Variables handed to functions as they are: name → (function, position)."""
        result: dict[str, set[tuple[str, int]]] = defaultdict(set)
        for node in self.calls:
            if any(c.type == "kernel_call_syntax" for c in node.children):
                continue  # kernels take their arguments by value
            call = call_of(self._source, node)
            for position, argument in enumerate(call.arguments if call is not None else ()):
                if call is not None and argument.type == "identifier":
                    result[self._source.text_of(argument)].add((call.name, position))
        return result

    def visible(self, name: str, at: int) -> Definition | None:
        """The local declaration that a name refers to at a byte offset; None: not a local."""
        best = None
        for definition in self.definitions.get(name, ()):
            if definition.start >= at:
                break
            if definition.declares and at < definition.scope_end:
                best = definition
        return best

    def is_parameter(self, name: str, at: int) -> bool:
        return name in self.parameters and self.visible(name, at) is None

    def writes(self, name: str, declaration: Definition | None) -> list[Definition]:
        """Every definition of the variable that `declaration` declares (None: a parameter)."""
        return [
            d
            for d in self.definitions.get(name, ())
            if d is declaration or (not d.declares and self.visible(name, d.start) is declaration)
        ]

    def enclosing(self, at: int) -> list[Region]:
        """The regions around a byte offset, from the outside in."""
        return [r for r in self.regions if r.start <= at < r.end]

    def reaching(self, name: str, at: int, member: str | None = None) -> Definition | None:
        """The definition whose value `name` (or `name.member`) has at a byte offset.

        A parameter that nothing has overwritten is answered by PARAMETER; None means unknown.
        """
        declaration = self.visible(name, at)
        if declaration is None and name not in self.parameters:
            return None
        writes = [
            d
            for d in self.writes(name, declaration)
            if member is None or d.member is None or d.member == member
        ]
        if declaration is not None and declaration.static and not declaration.constant:
            return declaration if len(writes) == 1 else None
        around = self.enclosing(at)
        found = PARAMETER if declaration is None else None
        for definition in reversed([d for d in writes if d.start < at]):
            verdict = self._passes(definition, around)
            if verdict is None:
                return None
            if verdict:
                found = definition
                break
        if found is None or not found.known:
            return None
        if any(found.start < label < at for label in self.labels):
            return None
        return None if self._may_come_around(found, writes, around) else found

    def _passes(self, definition: Definition, around: list[Region]) -> bool | None:
        """True: on every path to the place. False: on none. None: on some, perhaps."""
        inside = [r for r in self.enclosing(definition.start) if r not in around]
        if not inside:
            return True
        outermost = inside[0]
        for region in around:
            beside = region.group == outermost.group and region is not outermost
            if beside and (outermost.kind != "case" or outermost.leaves):
                return False
        if all(r.kind in ("then", "else", "case") for r in inside) and outermost.leaves:
            return False if outermost.kind != "case" else None
        return None

    @staticmethod
    def _may_come_around(found: Definition, writes: list[Definition], around: list[Region]) -> bool:
        """Whether a later write reaches the place in the next round of a loop or a later call."""
        for region in around:
            if region.kind == "lambda" and any(d.start >= region.end for d in writes):
                return True
            if region.kind != "loop" or region.start <= found.start < region.end:
                continue
            if any(region.start <= d.start < region.end for d in writes):
                return True
        return False

    def _scope_end(self, at: int) -> int:
        end = self.end
        for start, stop in self._scopes:
            if start > at:
                break
            if at < stop:
                end = min(end, stop)
        return end

    def _assignments(self, found: dict[str, list[Node]]) -> None:
        add = self._add
        for node in found.get("assignment", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            plain = operator is not None and operator.type == "="
            add(left, node.start_byte, right if plain else None)
        for node in found.get("update", ()):
            add(node.child_by_field_name("argument"), node.start_byte, None)
        for node in found.get("range", ()):
            name = declarator_of(node.child_by_field_name("declarator"))[0]
            if name is not None:
                text = self._source.text_of(name)
                self.definitions[text].append(
                    Definition(
                        text,
                        node.start_byte + 1,
                        known=False,
                        declares=True,
                        scope_end=node.end_byte,
                    )
                )
        # `void *arguments[] = {&n}` hands a value to cudaLaunchKernel, which only reads it.
        listed = {node.id for node in found.get("listed", ())}
        for node in found.get("address", ()):
            if node.id not in listed:
                add(node.child_by_field_name("argument"), node.start_byte, None)
        for node in found.get("shift", ()):
            for operand in _shifted(node):
                add(operand, node.start_byte, None)

    def _add(self, target: Node | None, start: int, value: Node | None) -> None:
        """A write to `name`, `name.member` or `name[…]`."""
        member, known = None, value is not None
        while target is not None and target.type == "parenthesized_expression":
            children = named(target)
            target = children[0] if children else None
        if target is not None and target.type == "field_expression":
            field = target.child_by_field_name("field")
            target = target.child_by_field_name("argument")
            if field is not None and target is not None and target.type == "identifier":
                member = self._source.text_of(field)
        elif target is not None and target.type == "subscript_expression":
            target, known = target.child_by_field_name("argument"), False
        if target is not None and target.type == "identifier":
            name = self._source.text_of(target)
            self.definitions[name].append(
                Definition(name, start, member, value if known else None, known)
            )


@lru_cache(maxsize=2048)
def body_of(function: Function) -> Body:
    """A function's local definitions."""
    names = tuple(p.name for p in function.parameters)
    return Body(function.source, function.node, names)


#: What `Body.reaching` answers for a parameter that still has the caller's value.
PARAMETER = Definition("", -1)


def declared(source: Source, node: Node, scope_end: int) -> list[Definition]:
    """The variables of a declaration."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return []
    words = type_words(source.text_of(kind))
    head = set(source.slice(node.start_byte, kind.start_byte).split())
    head |= {source.text_of(c) for c in node.children if c.type == "type_qualifier"}
    space = next((s for word, s in _SPACES.items() if word in head), "")
    result = []
    for child in node.children_by_field_name("declarator"):
        value = child.child_by_field_name("value")
        inner = (
            child.child_by_field_name("declarator") if child.type == "init_declarator" else child
        )
        if inner is not None and inner.type == "function_declarator":
            # `dim3 grid(w, h)` with names for arguments reads as a function's declaration.
            parameters = inner.child_by_field_name("parameters")
            if words == "dim3" and value is None:
                value, inner = parameters, inner.child_by_field_name("declarator")
        name, pointers, reference, extents = declarator_of(inner)
        if name is None:
            continue
        if node.type == "field_declaration":
            value = node.child_by_field_name("default_value")
        result.append(
            Definition(
                source.text_of(name),
                child.start_byte,
                value=value,
                known=not reference or "const" in head,
                declares=True,
                type=words,
                pointers=pointers,
                extents=tuple(extents),
                constant=bool(head & {"const", "constexpr"}),
                static="static" in head,
                space=space,
                scope_end=scope_end,
            )
        )
        if reference and "const" not in head and value is not None and value.type == "identifier":
            # Through `int &alias = n`, n may change unseen.
            result.append(Definition(source.text_of(value), child.start_byte, known=False))
    return result


def _shifted(node: Node) -> list[Node]:
    """The right operands of `stream >> a >> b`."""
    result = []
    current: Node | None = node
    while current is not None and current.type == "binary_expression":
        right = current.child_by_field_name("right")
        if right is not None:
            result.append(right)
        current = current.child_by_field_name("left")
    return result


_WHOLE_REGIONS = {
    **{"while": "loop", "do": "loop", "range": "loop", "lambda": "lambda"},
    **{"catch": "other", "preproc": "other", "conditional": "other"},
}


def _regions(source: Source, found: dict[str, list[Node]]) -> list[Region]:
    result = []
    for node in found.get("if", ()):
        for kind, part in (("then", "consequence"), ("else", "alternative")):
            child = node.child_by_field_name(part)
            if child is not None:
                leaves = _leaves(source, child)
                result.append(Region(kind, child.start_byte, child.end_byte, node, node.id, leaves))
    for node in found.get("for", ()):
        first = node.child_by_field_name("initializer")
        start = first.end_byte if first is not None else node.start_byte
        result.append(Region("loop", start, node.end_byte, node, node.id))
    for node in found.get("case", ())[:_CASE_LIMIT]:
        parent = node.parent
        group = parent.id if parent is not None else node.id
        leaves = _leaves(source, node)
        result.append(Region("case", node.start_byte, node.end_byte, node, group, leaves))
    for name, kind in _WHOLE_REGIONS.items():
        result += (
            Region(kind, node.start_byte, node.end_byte, node, node.id)
            for node in found.get(name, ())
        )
    return sorted(result, key=lambda r: (r.start, -r.end))


def _leaves(source: Source, node: Node) -> bool:
    """Whether a statement ends in return, break, throw or exit()."""
    for _ in range(8):
        children = named(node)
        if node.type in _LEAVES:
            return True
        if node.type == "expression_statement" and children:
            call = children[0].child_by_field_name("function")
            return call is not None and source.text_of(call) in _EXITS
        if node.type not in ("compound_statement", "else_clause", "case_statement") or not children:
            return False
        node = children[-1]
    return False
