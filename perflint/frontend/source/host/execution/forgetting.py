"""What is not known any more behind statements of which nobody can tell whether they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.classes import methods, only_reads
from perflint.frontend.source.host.execution.effect_summaries import READING
from perflint.frontend.source.host.execution.effects import ALL, Effects, lose_by
from perflint.frontend.source.host.execution.library import PLACES
from perflint.frontend.source.host.execution.reading import Reading
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    Frame,
    Lambda,
    Reference,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Record,
    Table,
    lose,
    mix,
)
from perflint.frontend.source.language.declarators import declarator_of
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project


_WRITING = ("assignment_expression", "update_expression", "call_expression")
_WAYS = (*_WRITING, "return_statement", "break_statement", "continue_statement", "goto_statement",
         "throw_statement")  # fmt: skip


#: What may write to whatever it likes.
_UNFOLLOWED = ("lambda_expression", "gnu_asm_expression", "new_expression", "delete_expression",
               "ERROR")  # fmt: skip
#: Functions called by their names, which are no macros'.
_PLAIN = pattern(r"(?:std::)?(?![A-Z][A-Z0-9_]*\Z)\w+")


class Forgetting(Reading):
    """Forgetting; `Run` has the statements."""

    def __init__(self, words: Sequence[str], project: Project) -> None:
        super().__init__(words, project)
        #: of bodies, labels that a `goto` may have jumped to
        self._jumps: set[tuple[int, str]] = set()
        self._keeping: dict[tuple[int, int], bool] = {}  #: functions that write to nothing outside

    def _forget(self, node: Node, frame: Frame) -> None:
        """What statements that may run or not, and any number of times, leave unknown."""
        with self.in_doubt(True):
            self._forget_all(node, frame)

    def _forget_all(self, node: Node, frame: Frame) -> None:
        self._muted += 1
        try:
            for each in self._parts(node, frame.place.file, _WRITING):
                self._count()
                if each.type == "call_expression":
                    self._forget_call(each, frame)
                else:
                    field = "left" if each.type[0] == "a" else "argument"
                    self._lose_place(each.child_by_field_name(field), frame)
        finally:
            self._muted -= 1

    def _parts(self, node: Node, file: File, kinds: tuple[str, ...]) -> list[Node]:
        """What there is of some kinds in statements."""
        key = (id(file), node.id, kinds)
        if key not in self._within:
            found, waiting = [], [node]
            while waiting:
                each = waiting.pop()
                if each.type in kinds:
                    found.append(each)
                waiting += children_of(each)
            self._within[key] = found
        return self._within[key]

    def _is_data(self, arm: Node | None, frame: Frame) -> bool:
        """Whether all that a statement does is to write elements of arrays nobody knows."""
        if arm is None:
            return True
        self._muted += 1
        try:
            file = frame.place.file
            if self._parts(arm, file, ("reference_declarator",)):
                return False  # its own names may stand for others
            own = self._parts(arm, file, ("declaration",))
            names = {name for each in own for name in _declared(each, file)}
            ways = self._parts(arm, file, _WAYS)
            return all(self._writes_data(each, names, frame) for each in ways)
        finally:
            self._muted -= 1

    def _writes_data(self, node: Node, own: set[str], frame: Frame) -> bool:
        """Whether a part of an arm writes to elements nobody knows, or to the arm's own names."""
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        if target is None or node.type not in ("assignment_expression", "update_expression"):
            return False
        if target.type == "identifier":
            return frame.place.file.source.text_of(target) in own
        array = target.child_by_field_name("argument")
        if array is None or target.type not in ("subscript_expression", "pointer_expression"):
            return False
        if _calls(target) or own & {frame.place.file.source.text_of(n) for n in _names(array)}:
            return False
        return self.value(array, frame) is UNKNOWN

    def _left_out(self) -> None:
        if not self._muted:
            self.launches.whole = False

    def _pass_over(self, node: Node, frame: Frame) -> None:
        """Statements that are not run, or not again, though the program may run them."""
        if not self._muted:
            self.launches.lost.update(self._launches_in(node, frame.place.file, set()))

    def _pass_by(self, functions: Iterable[tuple[File, Function]]) -> None:
        if not self._muted:
            bodies = ((f.body, file) for file, f in functions if f.body is not None)
            found = (self._launches_in(body, file, set()) for body, file in bodies)
            self.launches.lost.update(each for places in found for each in places)

    def _launches_in(self, node: Node, file: File, seen: set[str]) -> Iterator[tuple[str, int]]:
        """Where statements may launch something, be it in functions that they call."""
        calls = self._parts(node, file, ("call_expression",))
        made = (c for c in calls if any(p.type == "kernel_call_syntax" for p in c.children))
        yield from ((str(file.path), call.start_byte) for call in made)
        names = {_name_of(call, file) for call in calls} - seen
        seen |= names
        for name in names:
            for known in self.project.neighbours(name):
                for each in known.declarations.by_name.get(name, ()):
                    if each.body is not None:
                        yield from self._launches_in(each.body, known, seen)

    def _lose_place(self, node: Node | None, frame: Frame) -> None:
        if node is None:
            return
        if _calls(node):
            lose([self.globals])
            return
        place = self._place(node, frame)
        if place is None:
            self._put(node, UNKNOWN, frame)
            return
        held = place.get()
        self._set(held if isinstance(held, Alias) else place, UNKNOWN, frame)

    def _forget_call(self, node: Node, frame: Frame) -> None:
        function = node.child_by_field_name("function")
        arguments = children_of(node.child_by_field_name("arguments"))
        if function is None:
            return
        source = frame.place.file.source
        name = source.text_of(function).partition("<")[0].rpartition("::")[2].strip()
        found: tuple[Sequence[tuple[File, Function]], Record | None] | None = None
        if function.type == "field_expression":
            target = function.child_by_field_name("argument")
            field = function.child_by_field_name("field")
            if target is not None and not _calls(target) and field is not None:
                on = self.value(target, frame)
                while isinstance(on, Reference):
                    on = on.get()
                called = source.text_of(field).partition("<")[0]
                if isinstance(on, Record):
                    among = methods(self.project, on.class_, called, len(arguments), on.file)
                    found = (among, None) if among else None
                if isinstance(on, Record) and not self.is_const_call(called, on, len(arguments)):
                    lose_by(self._effects(among, frame), [on])
                elif isinstance(on, (Array, Table)) and called not in READING:
                    lose([on])
        held = frame.find(name).held.get(name)
        if isinstance(held, Lambda) and held.node.start_byte != node.start_byte:
            inside = held.node.child_by_field_name("body")
            if inside is not None and not inside.start_byte <= node.start_byte < inside.end_byte:
                self._forget(inside, held.frame)
        found = found or self._functions((), name, len(arguments), frame)
        if found is None and name == "swap" and len(arguments) == 2:
            places = [self._place(each, frame) for each in arguments]
            one, other = (p.get() if p and isinstance(p.get(), Alias) else p for p in places)
            if one is not None and other is not None:
                mix(one, other)
                return
        if found is not None and found[0]:
            if not all(self._keeps(*each) for each in found[0]):
                lose([self.globals])
            if found[1] is not None and not self.is_const_call(name, found[1], len(arguments)):
                lose_by(self._effects(found[0], frame), [found[1]])
        effects = self._effects(found[0] if found is not None else (), frame)
        by_name = found is not None or self._by_name(name, arguments, node, frame)
        for position, argument in enumerate(arguments):
            if found is not None and found[0] and only_reads(found[0], position):
                continue
            if argument.type == "pointer_expression" or argument.type in PLACES:
                if _calls(argument):
                    continue
                value = self.value(argument, frame)
                if isinstance(value, Reference):
                    lose_by(effects, [value])
                elif by_name and argument.type != "pointer_expression":
                    place = self._place(argument, frame)
                    if place is not None and not isinstance(value, str):
                        lose_by(effects, [Reference(place.within, place.key)])

    def _by_name(self, name: str, arguments: Sequence[Node], node: Node, frame: Frame) -> bool:
        """Whether what is not in sight may write to variables whose addresses it is not given."""
        macro = frame.place.macros.get(name)
        if macro is None:
            return not self._only_reads(frame.place.file, name)
        return not macro.known or self._written_by(name, arguments, node, frame) != frozenset()

    def _effects(self, found: Sequence[tuple[File, Function]], frame: Frame) -> Effects:
        """What functions may write through what they are given; ALL where nobody can tell."""
        return self.summaries.of_all(found, frame.place) if found else ALL

    def _keeps(self, file: File, function: Function) -> bool:
        """Whether a function writes to nothing but its own variables, nor do those that it calls.

        What is not in sight is the library's, and writes through its arguments at most.
        """
        key = (id(file), function.node.start_byte)
        if key not in self._keeping:
            self._keeping[key] = True  # what calls itself writes what else it writes
            own = {p.name for p in function.parameters if not (p.pointers or p.reference)}
            body = function.body
            self._keeping[key] = body is not None and self._keeps_all(file, body, own)
        return self._keeping[key]

    def _keeps_all(self, file: File, body: Node, own: set[str]) -> bool:
        text_of = file.source.text_of
        if self._parts(body, file, _UNFOLLOWED):
            return False
        for each in self._parts(body, file, ("declaration",)):
            own |= set(_declared(each, file, plainly=True))
        for each in self._parts(body, file, _WRITING):
            if each.type in ("assignment_expression", "update_expression"):
                field = "left" if each.type[0] == "a" else "argument"
                root = _root(each.child_by_field_name(field))
                if root is None or text_of(root) not in own:
                    return False
            elif each.type == "call_expression":
                called = each.child_by_field_name("function")
                name = text_of(called) if called is not None else ""
                plain = _PLAIN.fullmatch(name)
                if not plain or not self._keeps_called(file, name.removeprefix("std::")):
                    return False
        return True

    def _keeps_called(self, file: File, name: str) -> bool:
        files = {id(f): f for f in (file, *file.family, *self.project.neighbours(name))}
        return all(
            self._keeps(each, function)
            for each in files.values()
            for function in each.declarations.by_name.get(name, ())
            if function.body is not None
        )


def _root(node: Node | None) -> Node | None:
    """The variable that an element or a member is of; None behind pointers and calls."""
    while node is not None and node.type in ("subscript_expression", "field_expression"):
        if any(child.type == "->" for child in node.children):
            return None
        node = node.child_by_field_name("argument")
    return node if node is not None and node.type == "identifier" else None


def _calls(node: Node) -> bool:
    return node.type == "call_expression" or any(_calls(c) for c in node.named_children)


def _name_of(call: Node, file: File) -> str:
    """The unqualified name of what is called."""
    function = call.child_by_field_name("function")
    field = function.child_by_field_name("field") if function is not None else None
    text = "" if function is None else file.source.text_of(field or function)
    return text.partition("<")[0].rpartition("::")[2].strip()


def _names(node: Node) -> list[Node]:
    """The identifiers in an expression."""
    inside = [each for child in node.named_children for each in _names(child)]
    return [node, *inside] if node.type == "identifier" else inside


def _declared(node: Node, file: File, plainly: bool = False) -> Iterator[str]:
    """The variables that a declaration makes; `plainly`: those that are a call's own alone."""
    if plainly and any(child.type == "storage_class_specifier" for child in node.children):
        return
    for each in node.children_by_field_name("declarator"):
        inner = each.child_by_field_name("declarator") if each.type[:4] == "init" else each
        name, pointers, reference, _ = declarator_of(inner)
        if name is not None and not (plainly and (pointers or reference)):
            yield file.source.text_of(name)
