"""Which assignment a variable's value at one place comes from.

The reaching definition is found in structured code only: one that every path to the place passes
and that nothing may have overwritten since. In every other case (a branch, a loop, an address
given away, a label) the answer is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.c_types import basic_type
from perflint.frontend.source.declarations import Call, Function, call_of
from perflint.frontend.source.declarators import (
    Definition,
    Region,
    declarator_of,
    declared,
    regions_of,
    shifted,
)
from perflint.frontend.source.trees import Source, captures, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: Plain kinds of nodes, as in `declarations`.
_PATTERN = """
(declaration) @declaration
(assignment_expression) @assignment
(update_expression) @update
(pointer_expression) @pointer
(binary_expression) @binary
(gnu_asm_output_operand) @output
(for_range_loop) @range
(call_expression) @call
(subscript_expression) @access
(pointer_expression operator: "*") @access
(field_expression operator: "->") @access
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
#: Copies of the CUDA runtime and driver, and which of their arguments is what they copy from.
COPIED_FROM = {
    **dict.fromkeys(("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"), 1),
    **dict.fromkeys(("cudaMemcpy", "cudaMemcpyAsync", "cuMemcpyHtoD", "cuMemcpyHtoDAsync"), 1),
    **dict.fromkeys(("cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2"), 1),
}
#: A variable written more often than this in one function counts as unknown.
DEFINITION_LIMIT = 300


#: Whether a branch is taken; None if that is not known.
Taken = Callable[[Region], bool | None]


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


POINTEE = "*"  #: the member that `*p = 4` writes


@dataclass(frozen=True, eq=False)
class Given:
    """A call that gets a variable."""

    call: Call
    position: int
    address: bool  #: `&variable`


class Body:
    """The definitions and regions of one function."""

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
        found = captures(function, _PATTERN)
        self.labels = [n.start_byte for n in found.get("label", ())]
        self.regions = regions_of(source, found)
        scopes = [(n.start_byte, n.end_byte) for n in found.get("block", ())]
        scopes += [(n.start_byte, n.end_byte) for n in found.get("for", ())]
        self._scopes = sorted(scopes)
        self._writes: dict[tuple[str, int], tuple[Definition | None, list[Definition]]] = {}
        self.calls = found.get("call", [])
        self.accesses = found.get("access", [])  #: `a[i]`, `*p`, `p->x`
        #: expressions that change something
        self.steps: list[Node] = [*found.get("update", ()), *found.get("assignment", ())]
        for node in found.get("declaration", ()):
            end = self._scope_end(node.start_byte)
            for definition in declared(source, node, end):
                self.definitions[definition.name].append(definition)
        self._assignments(found)
        self._read_only_references()
        for definitions in self.definitions.values():
            definitions.sort(key=lambda d: d.start)
            if len(definitions) > DEFINITION_LIMIT:
                name = definitions[0].name
                unknown = Definition(
                    name, self.start, known=False, declares=True, scope_end=self.end
                )
                definitions[:] = [unknown]

    def _read_only_references(self) -> None:
        """Take `auto &c = config` for a constant one where nothing is written through it."""
        for name, definitions in tuple(self.definitions.items()):
            if len(definitions) != 1:  # nothing is left of what is no local but has a reference
                continue
            one = definitions[0]
            if not one.reference or one.known or one.value is None:
                continue
            if one.value.type == "identifier" and name not in {**self.given, **self.receivers}:
                self.definitions[name] = [replace(one, known=True)]
                of = self.definitions[self._source.text_of(one.value)]
                of[:] = [d for d in of if d.start != one.start]

    def text_of(self, node: Node) -> str:
        return self._source.text_of(node)

    def named_by(self, definition: Definition, at: int) -> str | None:
        """The variable of this function that a reference is another name of, at its use, too."""
        if not definition.reference or definition.value is None:
            return None
        name = self._source.text_of(definition.value)
        declaration = self.visible(name, at)
        words = self.parameters.get(name, "") if declaration is None else declaration.type
        is_of_it = definition.type in ("auto", *words.replace("&", " ").split(), words)
        is_same = declaration is self.visible(name, definition.start)
        return name if words and is_of_it and is_same else None

    @cached_property
    def named_calls(self) -> tuple[Call, ...]:
        """The calls of something with a name, in text order."""
        return tuple(c for node in self.calls if (c := call_of(self._source, node)) is not None)

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

    @cached_property
    def given(self) -> dict[str, list[Given]]:
        """The calls that get a variable, or its address, as an argument of its own."""
        result: dict[str, list[Given]] = defaultdict(list)
        for node in self.calls:
            call = None
            if not any(c.type == "kernel_call_syntax" for c in node.children):
                call = call_of(self._source, node)
            for position, argument in enumerate(call.arguments if call is not None else ()):
                address = argument.type == "pointer_expression" and _operator(argument) == "&"
                inner = argument.child_by_field_name("argument") if address else argument
                if call is not None and inner is not None and inner.type == "identifier":
                    found = Given(call, position, address)
                    result[self._source.text_of(inner)].append(found)
        return result

    @cached_property
    def receivers(self) -> dict[str, list[tuple[Call, tuple[str, ...]]]]:
        """The calls of methods on a variable, or on a member of it, which is named."""
        result: dict[str, list[tuple[Call, tuple[str, ...]]]] = defaultdict(list)
        for call in self.named_calls:
            function = call.node.child_by_field_name("function")
            path: list[str] = []
            target = function.child_by_field_name("argument") if function is not None else None
            while call.through_object and target is not None and target.type == "field_expression":
                field = target.child_by_field_name("field")
                path.insert(0, self._source.text_of(field) if field is not None else "")
                target = target.child_by_field_name("argument")
            if call.through_object and target is not None and target.type in ("identifier", "this"):
                result[self._source.text_of(target)].append((call, tuple(path)))
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

    def writes(self, name: str, declaration: Definition | None) -> list[Definition]:
        """Every definition of the variable that `declaration` declares (None: a parameter)."""
        key = (name, id(declaration))
        if key not in self._writes:
            found = [
                d
                for d in self.definitions.get(name, ())
                if d is declaration
                or (not d.declares and self.visible(name, d.start) is declaration)
            ]
            self._writes[key] = declaration, found  # while that is kept its id is no other's
        return self._writes[key][1]

    def enclosing(self, at: int) -> list[Region]:
        """The regions around a byte offset, from the outside in."""
        return [r for r in self.regions if r.start <= at < r.end]

    def reaching(
        self,
        name: str,
        at: int,
        member: str | None = None,
        taken: Taken | None = None,
        more: Sequence[Definition] = (),
    ) -> Definition | None:
        """The definition whose value `name` (or `name.member`) has at a byte offset.

        `taken` tells of branches whether they are taken on the way. A parameter that nothing has
        overwritten is answered by PARAMETER; None means unknown. `more` are writes that calls make,
        which stand for what is known of their arguments.
        """
        found = self.last(name, at, member, taken, more)
        return found if isinstance(found, Definition) and found.known else None

    def last(
        self,
        name: str,
        at: int,
        member: str | None = None,
        taken: Taken | None = None,
        more: Sequence[Definition] = (),
    ) -> Definition | Region | None:
        """What wrote last before a place, on every path to it: an assignment, or a loop."""
        declaration = self.visible(name, at)
        if declaration is None and name not in self.parameters:
            return None
        writes = [d for d in self.writes(name, declaration) if _concerns(d, member)]
        if more:
            spans = [(d.start, d.call.end_byte) for d in more if d.call is not None]
            kept = [d for d in writes if not any(a <= d.start < b for a, b in spans)]
            writes = sorted([*kept, *more], key=lambda d: d.start)
        if declaration is not None and declaration.static and not declaration.constant:
            return declaration if len(writes) == 1 else None
        around = self.enclosing(at)
        found: Definition | Region | None = PARAMETER if declaration is None else None
        earlier = [d for d in writes if d.start < at and not _is_step(d, around, at)]
        for definition in reversed(earlier):
            verdict = self._passes(definition, around)
            if verdict is None and taken is not None:
                verdict = self._by_branches(definition, around, taken)
            if verdict is None:
                found = self._loop_behind(definition, around, taken)
                break
            if verdict:
                found = definition
                break
        if found is None:
            return None
        if any(found.start < label < at for label in self.labels):
            return None
        return None if self._may_come_around(found, writes, around) else found

    def branch_behind(self, name: str, at: int, member: str | None) -> Node | None:
        """The branch before a place in one of whose arms a variable was written last.

        None where it is a loop's, or an arm leaves the function.
        """
        declaration = self.visible(name, at)
        around = self.enclosing(at)
        earlier = [
            d for d in self.writes(name, declaration) if _concerns(d, member) and d.start < at
        ]
        if not earlier:
            return None
        inside = [r for r in self.enclosing(earlier[-1].start) if r not in around]
        if not inside or inside[0].kind not in ("then", "else"):
            return None
        arms = [r for r in self.regions if r.group == inside[0].group]
        beside = any(r in around or r.leaves for r in arms)
        return None if beside or any(r.kind == "loop" for r in around) else inside[0].node

    def settled(self, writes: Sequence[Definition], at: int, taken: Taken) -> Definition | None:
        """The one of these writes that holds at a place; None where that is not settled."""
        around = self.enclosing(at)
        for definition in reversed([d for d in writes if d.start < at]):
            verdict = self._passes(definition, around)
            if verdict is None:
                verdict = self._by_branches(definition, around, taken)
            if verdict is None:
                return None
            if verdict:
                labelled = any(definition.start < label < at for label in self.labels)
                late = labelled or self._may_come_around(definition, list(writes), around)
                return None if late or definition.member is not None else definition
        return None

    def _loop_behind(
        self, definition: Definition, around: list[Region], taken: Taken | None
    ) -> Region | None:
        """The loop that a write stands in, if that has ended on every path to the place."""
        inside = [r for r in self.enclosing(definition.start) if r not in around]
        for region in inside:
            if region.kind == "loop":
                return region
            if region.kind not in ("then", "else") or taken is None or not taken(region):
                return None
        return None

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

    def _by_branches(
        self, definition: Definition, around: list[Region], taken: Taken
    ) -> bool | None:
        """As `_passes`, for a definition inside branches of which `taken` knows more."""
        inside = [r for r in self.enclosing(definition.start) if r not in around]
        if any(r.kind not in ("then", "else") for r in inside):
            return None
        if any(r.leaves for r in inside):
            return False
        for region in inside:
            verdict = taken(region)
            if not verdict:
                return verdict
        return True

    @staticmethod
    def _may_come_around(
        found: Definition | Region, writes: list[Definition], around: list[Region]
    ) -> bool:
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
            while plain and right is not None and right.type == "assignment_expression":
                right = right.child_by_field_name("right")  # `a = b = 4`
            add(left, node.start_byte, right if plain else None, None if plain else node)
        for node in found.get("update", ()):
            add(node.child_by_field_name("argument"), node.start_byte, None, node)
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
        listed = {node.id for each in found.get("declaration", ()) for node in self._listed(each)}
        listed |= {node.id for call in self.calls for node in self._copied_from(call)}
        for node in found.get("pointer", ()):
            if _operator(node) == "&" and node.id not in listed:
                add(node.child_by_field_name("argument"), node.start_byte, None)
        for node in found.get("output", ()):
            if (operand := node.child_by_field_name("value")) is not None:
                add(operand, operand.start_byte, None)
        for node in found.get("binary", ()):
            if _operator(node) == ">>" and self._may_be_stream(node):
                for operand in shifted(node):
                    add(operand, node.start_byte, None)

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
        self, target: Node | None, start: int, value: Node | None, step: Node | None = None
    ) -> None:
        """A write to `name`, `name.member` or `name[…]`."""
        member, known = None, value is not None
        while target is not None and target.type == "parenthesized_expression":
            children = children_of(target)
            target = children[0] if children else None
        path: list[str] = []
        while target is not None and target.type == "field_expression":
            field = target.child_by_field_name("field")
            target = target.child_by_field_name("argument")
            if field is not None:
                path.insert(0, self._source.text_of(field))
                if len(path) == 1:
                    self._escapes(path[0], target)
            while target is not None and target.type == "parenthesized_expression":
                target = next(iter(children_of(target)), None)
            if path and target is not None and target.type == "pointer_expression":
                target = target.child_by_field_name("argument")  # `(*p).n = 4`
        if path and target is not None:
            member = ".".join(path)
            if target.type == "this":
                written = Definition(path[0], start, ".".join(path[1:]) or None, value, known)
                self.own[path[0]].append(written)
        elif target is not None and target.type == "pointer_expression":
            target, member = target.child_by_field_name("argument"), POINTEE
            if target is None or target.type != "identifier":
                return
        element = target is not None and target.type == "subscript_expression"
        if target is not None and element:
            deeper = member is not None
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
                )
            )


def _is_plain(step: Node) -> bool:
    """Whether a step changes a variable or a member of one, and no element."""
    field = "left" if step.type == "assignment_expression" else "argument"
    target = step.child_by_field_name(field)
    if target is not None and target.type == "field_expression":
        target = target.child_by_field_name("argument")
    return target is not None and target.type == "identifier"


def _concerns(definition: Definition, member: str | None) -> bool:
    """Whether a write may change a variable, or a member of it: `a.b = …` changes `a.b.c` too."""
    written = definition.member
    if member is None or written is None:
        return written != POINTEE  # `*p = 4` leaves p as it is
    if written == POINTEE:
        return not member.startswith("[")
    return (
        written == member
        or f"{written}.".startswith(f"{member}.")
        or (f"{member}.".startswith(f"{written}."))
    )


def _is_step(definition: Definition, around: list[Region], at: int) -> bool:
    """Whether a definition is a `for` loop's step: it stands before the body and runs after it."""
    steps = (region.node.child_by_field_name("update") for region in around)
    return any(s is not None and s.start_byte <= definition.start < s.end_byte <= at for s in steps)


@lru_cache(maxsize=2048)
def body_of(function: Function) -> Body:
    """A function's local definitions."""
    return Body(function.source, function.node, {p.name: p.type for p in function.parameters})


#: What `Body.reaching` answers for a parameter that still has the caller's value.
PARAMETER = Definition("", -1)
