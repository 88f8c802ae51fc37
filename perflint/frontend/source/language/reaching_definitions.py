"""Which assignment a variable's value at one place comes from.

The reaching definition is found in structured code only: one that every path to the place passes
and that nothing may have overwritten since. In every other case (a branch, a loop, an address
given away, a label) the answer is unknown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language.assertions import asserted_by
from perflint.frontend.source.language.body_writes import POINTEE, BodyWrites, operator_of
from perflint.frontend.source.language.declarations import Call, Function, call_of
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.trees import Source

if TYPE_CHECKING:
    from tree_sitter import Node

#: A variable written more often than this in one function counts as unknown.
DEFINITION_LIMIT = 300
_PLAIN_PATH = pattern(r"\w+(?:(?:\.|->)\w+)+")
#: Whether a branch is taken; None if that is not known.
Taken = Callable[[Region], bool | None]


@dataclass(frozen=True, eq=False)
class Given:
    """A call that gets a variable."""

    call: Call
    position: int
    address: bool  #: `&variable`
    member: str = ""  #: `x` where it gets `variable.x`


class Body(BodyWrites):
    """The definitions and regions of one function."""

    def __init__(self, source: Source, function: Node, parameters: Mapping[str, str]) -> None:
        super().__init__(source, function, parameters)
        self._writes: dict[tuple[str, int], tuple[Definition | None, list[Definition]]] = {}
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
            for each in filter(is_of_range, definitions):
                self._unless_written(each)
            if len(definitions) != 1 or is_of_range(
                definitions[0]
            ):  # nothing is left of what is no local but has a reference
                continue
            one = definitions[0]
            if not one.reference or one.known or one.value is None:
                continue
            names = one.value.type == "identifier" or self.path_named_by(one, one.start)
            if names and name not in {**self.given, **self.receivers}:
                self.definitions[name] = [replace(one, known=True)]
                of = self.definitions[re.split(r"\W", self._source.text_of(one.value))[0]]
                of[:] = [d for d in of if d.start != one.start]

    def _unless_written(self, each: Definition) -> None:
        """Forget that a loop's reference may change what it goes through where it does not."""
        name, end = each.name, each.scope_end
        calls = [g.call for g in self.given.get(name, ())]
        calls += [call for call, _ in self.receivers.get(name, ())]
        writes = [d.start for d in self.definitions[name] if d is not each]
        starts = (*writes, *(call.node.start_byte for call in calls))
        if each.value is not None and not any(each.start < at < end for at in starts):
            of = self.definitions.get(self._source.text_of(each.value), [])
            of[:] = [d for d in of if d.start != each.start]

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

    def path_named_by(self, definition: Definition, at: int) -> str | None:
        """The member that a reference is another name of, as it is written: `grid->block`."""
        value = definition.value
        if not definition.reference or value is None or value.type != "field_expression":
            return None
        path = self._source.text_of(value)
        base = re.split(r"\W", path)[0]
        is_same = self.visible(base, at) is self.visible(base, definition.start)
        return path if is_same and _PLAIN_PATH.fullmatch(path) else None

    @cached_property
    def named_calls(self) -> tuple[Call, ...]:
        """The calls of something with a name, in text order."""
        return tuple(c for node in self.calls if (c := call_of(self._source, node)) is not None)

    @cached_property
    def assertions(self) -> tuple[tuple[Node, str], ...]:
        """The calls that assert something, and what."""
        read = ((node, asserted_by(self._source, node)) for node in self.calls)
        return tuple(each for each in read if each[1])

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
                address = argument.type == "pointer_expression" and operator_of(argument) == "&"
                inner = argument.child_by_field_name("argument") if address else argument
                if call is not None and inner is not None and inner.type == "identifier":
                    found = Given(call, position, address)
                    result[self._source.text_of(inner)].append(found)
        return result

    @cached_property
    def given_members(self) -> dict[str, list[Given]]:
        """The calls that get a member `a.b` of a variable, or its address, by the variable."""
        result: dict[str, list[Given]] = defaultdict(list)
        for call in self.named_calls:
            if any(c.type == "kernel_call_syntax" for c in call.node.children):
                continue
            for position, argument in enumerate(call.arguments):
                address = argument.type == "pointer_expression" and operator_of(argument) == "&"
                inner = argument.child_by_field_name("argument") if address else argument
                path: list[str] = []
                while inner is not None and inner.type == "field_expression":
                    field = inner.child_by_field_name("field")
                    path.insert(0, self._source.text_of(field) if field is not None else "")
                    inner = inner.child_by_field_name("argument")
                if path and inner is not None and inner.type == "identifier":
                    found = Given(call, position, address, ".".join(path))
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

    def writing_loop(self, name: str, at: int) -> tuple[Region, list[Definition]] | None:
        """The innermost loop around a byte offset that writes to a variable, and its writes."""
        found = self.writes(name, self.visible(name, at))
        for region in reversed(self.enclosing(at)):
            inside = [d for d in found if region.start <= d.start < region.end]
            if region.kind == "loop" and inside:
                return region, inside
        return None

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
        outer: bool = False,
    ) -> Definition | Region | None:
        """What wrote last before a place, on every path to it: an assignment, or a loop.

        With `outer`, to a variable that the function does not declare.
        """
        declaration = self.visible(name, at)
        is_parameter = declaration is None and name in self.parameters
        if declaration is None and not is_parameter and not outer:
            return None
        writes = [d for d in self.writes(name, declaration) if concerns(d, member)]
        if more:
            spans = [(d.start, d.call.end_byte) for d in more if d.call is not None]
            kept = [d for d in writes if not any(a <= d.start < b for a, b in spans)]
            behind = [d for d in more if concerns(d, member)]
            writes = sorted([*kept, *behind], key=lambda d: d.start)
        if declaration is not None and outlives(declaration):
            if len(writes) == 1:
                return declaration
            if not self._is_set_first(declaration, writes):
                return None
        around = self.enclosing(at)
        found: Definition | Region | None = PARAMETER if is_parameter else None
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

    def _is_set_first(self, declaration: Definition, writes: Sequence[Definition]) -> bool:
        """Whether one branch alone sets a static variable, because of the value that it had.

        `if (n == -1) n = …;`, with no `else`: whoever is behind it sees what a call set. So the
        first call tells the value, as it does that of any other variable.
        """
        first = next((d.start for d in writes if d is not declaration), declaration.start)
        around = self.enclosing(declaration.start)
        inside = [r for r in self.enclosing(first) if r not in around]
        condition = inside[0].node.child_by_field_name("condition") if inside else None
        if condition is None or inside[0].kind != "then" or inside[0].leaves:
            return False
        words = re.findall(r"\w+", self._source.text_of(condition))
        return (
            declaration.name in words
            and inside[0].node.child_by_field_name("alternative") is None
            and all(r.kind != "loop" for r in around)
            and all(d is declaration or d.start < inside[0].end for d in writes)
        )

    def asks_of_itself(self, declaration: Definition) -> bool:
        """Whether a function sets a static variable, and asks what an earlier call set it to."""
        if not outlives(declaration) or len(self.writes(declaration.name, declaration)) == 1:
            return False
        conditions = (
            region.node.child_by_field_name("condition")
            for region in self.regions
            if region.kind == "then" and declaration.start < region.start < declaration.scope_end
        )
        texts = (self._source.text_of(node) for node in conditions if node is not None)
        return any(declaration.name in re.findall(r"\w+", text) for text in texts)

    def branch_behind(self, name: str, at: int, member: str | None) -> Node | None:
        """The branch before a place in one of whose arms a variable was written last.

        None where it is a loop's, or an arm leaves the function.
        """
        declaration = self.visible(name, at)
        around = self.enclosing(at)
        earlier = [
            d for d in self.writes(name, declaration) if concerns(d, member) and d.start < at
        ]
        if not earlier:
            return None
        inside = [r for r in self.enclosing(earlier[-1].start) if r not in around]
        if not inside or inside[0].kind not in ("then", "else"):
            return None
        arms = [r for r in self.regions if r.group == inside[0].group]
        beside = any(r in around or r.leaves for r in arms)
        return None if beside or any(r.kind == "loop" for r in around) else inside[0].node

    def settled(
        self, writes: Sequence[Definition], at: int, taken: Taken, member: str | None = None
    ) -> Definition | None:
        """The one of these writes that holds at a place; None where that is not settled.

        One to a part of the variable counts where it is to `member`, which is asked for.
        """
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
                part = definition.member not in (None, member)
                return None if late or part else definition
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


def concerns(definition: Definition, member: str | None) -> bool:
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


def outlives(declaration: Definition) -> bool:
    """Whether a variable keeps from call to call what a function set it to."""
    return declaration.static and not declaration.constant


def is_of_range(definition: Definition) -> bool:
    """Whether a declaration is that of a range-based loop's variable."""
    parent = definition.value.parent if definition.value is not None else None
    return definition.declares and parent is not None and parent.type == "for_range_loop"


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
