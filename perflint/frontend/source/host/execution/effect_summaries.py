"""What each function in sight may write, by its text: assignments, addresses, calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import text_functions
from perflint.frontend.source.host.execution.classes import class_of, named
from perflint.frontend.source.host.execution.effects import ALL, Effects
from perflint.frontend.source.language.body_writes import COPIED_FROM, READS
from perflint.frontend.source.language.declarators import declarator_of
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project

_KINDS = ("assignment_expression", "update_expression", "call_expression", "pointer_expression",
          "declaration", "reference_declarator", "lambda_expression", "gnu_asm_expression", "ERROR",
          "new_expression")  # fmt: skip
_NAMED = ("identifier", "qualified_identifier", "template_function")
_TYPES = ("primitive_type", "sized_type_specifier")
_ALL = ("lambda_expression", "gnu_asm_expression", "ERROR")
#: Methods of containers that leave them as they are.
READING = ("size", "empty", "at", "data", "begin", "end", "front", "back", "find", "count")
#: Those of text and of pointers that own what they point to, too.
_ASKING = (*READING, "rbegin", "rend", "cbegin", "cend", "get", "c_str", "length", "capacity")
#: What is written to through the answers of these is inside.
_POINTING = ("get", "data", "begin", "rbegin")
_ANY = "auto"  #: a type that is not written
#: Containers that own their elements, and methods that change nothing but those.
_SEQUENCE = pattern(r"(?:std::)?(?:vector|array|deque)<\s*([\w:]+(?:\s+\w+)*)\s*(?:,[^<>*&]*)?>")
_CHANGES = ("resize", "reserve", "assign", "push_back", "pop_back", "clear", "fill",
            "shrink_to_fit")  # fmt: skip
_WRITES = pattern(r"(?:[-+*/%&|^]|<<|>>)?=|\+\+|--")


class Summaries:
    """The effects of functions, each found once."""

    def __init__(self, project: Project, by_pointer: Callable[[File, str], bool]) -> None:
        self._project, self.by_pointer = project, by_pointer
        self._known: dict[tuple[int, int], Effects] = {}
        self._returned: dict[tuple[int, int], Effects] = {}

    def of(self, file: File, function: Function, near: Environment) -> Effects:
        """What a function may write, and those that it calls. `near`: some place."""
        key = (id(file), function.node.start_byte)
        if key not in self._known:
            self._known[key] = Effects()  # what calls itself writes what else it writes
            body = function.body
            there = near.elsewhere(file, function.node.start_byte)
            found = ALL if body is None else _Body(self, there, function).effects(body)
            self._known[key] = found
        return self._known[key]

    def of_all(self, found: Iterable[tuple[File, Function]], near: Environment) -> Effects:
        """What one of several functions may write."""
        result = Effects()
        for file, function in found:
            result |= self.of(file, function, near)
        return result

    def returned(self, names: Iterable[str], near: Environment) -> Effects:
        """What a write to what functions of the first name in sight return may change."""
        found = next((f for name in names if (f := self.called(name, near)) is not None), ())
        result = Effects() if found else ALL
        for file, each in found:
            key = (id(file), each.node.start_byte)
            if key not in self._returned:
                self._returned[key] = Effects()
                body = _Body(self, near.elsewhere(file, each.node.start_byte), each)
                self._returned[key] = ALL if each.body is None else body.returned(each.body)
            result |= self._returned[key]
        return result

    def called(self, name: str, near: Environment) -> list[tuple[File, Function]] | None:
        """The functions that a name may mean; None where it is none in sight."""
        files = {id(f): f for f in (near.file, *near.file.family, *self._project.neighbours(name))}
        found = [(f, each) for f in files.values() for each in f.declarations.by_name.get(name, ())]
        return [(f, each) for f, each in found if each.body is not None] or None


class _Body:
    """One function's body."""

    def __init__(self, known: Summaries, place: Environment, function: Function) -> None:
        self._summaries, self._place = known, place
        self._text_of = place.file.source.text_of
        #: variables of the call, by name: the type of what each points to, "" of what is no pointer
        self._own: dict[str, str] = {}
        self._deduced: dict[str, Node] = {}  #: what `auto` variables are made of
        self._in_method = function.method
        self._copies: set[str] = set()  #: those that are structures, which may hold pointers
        self._references = {p.name: p.type for p in function.parameters if p.reference}
        self._aliases: dict[str, Node] = {}  #: what references of the body are other names of
        self._elements: dict[str, Node] = {}  #: what loops by reference go through
        for each in function.parameters:
            if not each.reference:
                self._declare(each.name, each.type, each.pointers)

    def effects(self, body: Node) -> Effects:
        found, waiting = Effects(), [body]
        parts: list[Node] = []
        while waiting:
            each = waiting.pop()
            parts += [each] if each.type in _KINDS else []
            waiting += children_of(each)
        for each in parts:
            if each.type == "declaration":
                self._declared(each)
        for each in parts:
            if each.type == "reference_declarator":
                found |= self._referenced(each)
        for each in parts:
            found |= Effects() if each.type == "reference_declarator" else self._effect(each)
            if found.everything:
                return ALL
        return found

    def returned(self, body: Node) -> Effects:
        """What a write to what the function returns a reference to may change."""
        found, waiting = Effects(), [body]
        while waiting:
            each = waiting.pop()
            if each.type == "declaration":
                self._declared(each)
            if each.type == "return_statement" and children_of(each):
                found |= self._written(children_of(each)[0])
            waiting += children_of(each)
        return found

    def _referenced(self, reference: Node) -> Effects:
        """A reference that the body declares: what is written to it is written to what it is of.

        One to what is constant, or to what is caught, writes to nothing.
        """
        name, around = declarator_of(reference)[0], reference.parent
        while around is not None and around.type == "init_declarator":
            reference, around = around, around.parent
        if around is None or name is None:
            return ALL
        is_constant = any(self._text_of(c) == "const" for c in around.children)
        if around.type == "parameter_declaration" or is_constant:
            return Effects()
        field = "right" if around.type == "for_range_loop" else "value"
        of = (around if field == "right" else reference).child_by_field_name(field)
        known = self._elements if field == "right" else self._aliases
        text, earlier = self._text_of(name), {**self._elements, **self._aliases}
        if of is None or text in {**self._own, **earlier}:
            return ALL
        chained = {each for each, node in earlier.items() if text in self._words(node)}
        if chained or self._words(of) & {text, *earlier}:
            return ALL  # another name of another name
        known[text] = of
        return Effects()

    def _words(self, node: Node) -> set[str]:
        """The variables in an expression."""
        own = {self._text_of(node)} if node.type == "identifier" else set[str]()
        return own.union(*(self._words(child) for child in node.named_children))

    def _declared(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        for each in node.children_by_field_name("declarator"):
            inner = each.child_by_field_name("declarator") if each.type[:4] == "init" else each
            name, pointers, reference, _ = declarator_of(inner)
            if name is not None and not reference:
                is_static = any(c.type == "storage_class_specifier" for c in node.children)
                written = self._text_of(kind) if kind is not None else _ANY
                value = each.child_by_field_name("value")
                made = value.child_by_field_name("function") if value is not None else None
                if written == _ANY and made is not None and self._is_class(self._text_of(made)):
                    written = self._text_of(made)  # by its constructor
                self._declare(self._text_of(name), written, 2 if is_static else pointers)
                if written == _ANY and value is not None and not is_static:
                    self._deduced[self._text_of(name)] = value

    def _declare(self, name: str, written: str, pointers: int) -> None:
        of_any = pointers > 1 or written == _ANY  # what it points to may be a pointer itself
        self._own[name] = _ANY if of_any else written if pointers else ""
        if not pointers and self._is_class(written):
            self._copies.add(name)

    def _effect(self, node: Node) -> Effects:
        if node.type in _ALL:
            return ALL
        if node.type == "new_expression":
            kind = node.child_by_field_name("type")
            return ALL if kind is None or self._is_class(self._text_of(kind)) else Effects()
        if node.type == "assignment_expression":
            return self._written(node.child_by_field_name("left"))
        if node.type == "update_expression":
            return self._written(node.child_by_field_name("argument"))
        if node.type == "pointer_expression":
            sign = node.child_by_field_name("operator")
            is_address = sign is not None and sign.type == "&"
            return self._written(node.child_by_field_name("argument")) if is_address else Effects()
        return self._call(node) if node.type == "call_expression" else Effects()

    def _written(self, target: Node | None) -> Effects:
        """What a write to an expression's place may change."""
        while target is not None and target.type == "parenthesized_expression":
            target = children_of(target)[0]
        if target is None:
            return ALL
        if target.type == "identifier":
            return self._referred(self._text_of(target))
        field = target.child_by_field_name("field")
        if target.type == "field_expression" and field is not None:
            return Effects(members=frozenset((self._text_of(field),)))
        if target.type in ("subscript_expression", "pointer_expression"):
            return self._through(target.child_by_field_name("argument"))
        if target.type == "call_expression":
            called = target.child_by_field_name("function")
            return (
                ALL
                if called is None
                else self._summaries.returned(self._names(called), self._place)
            )
        return ALL

    def _through(self, pointer: Node | None) -> Effects:
        """What a write through a pointer, or to an array's element, may change."""
        while pointer is not None and pointer.type in (
            "parenthesized_expression", "subscript_expression", "cast_expression",
            "update_expression",
        ):  # fmt: skip
            inner = (pointer.child_by_field_name(f) for f in ("argument", "value"))
            pointer = next((n for n in inner if n is not None), None) or children_of(pointer)[0]
        if pointer is None:
            return ALL
        if pointer.type == "binary_expression":  # one side of it is a number
            sign = pointer.child_by_field_name("operator")
            sides = [pointer.child_by_field_name(f) for f in ("left", "right")]
            if sign is None or sign.type not in ("+", "-"):
                return Effects()
            return self._through(sides[0]) | self._through(sides[1])
        if pointer.type == "call_expression":
            return self._through_answer(pointer)
        field = pointer.child_by_field_name("field")
        if pointer.type == "field_expression" and field is not None:
            return Effects(within=frozenset((self._text_of(field),)))
        if pointer.type == "pointer_expression":
            return self._written(pointer)
        if pointer.type == "identifier":
            name = self._text_of(pointer)
            if name in self._elements:
                return ALL
            if name in self._aliases:
                return self._through(self._aliases[name])
            written = self._own.get(name)
            if written is None and self._in_method and name not in self._references:
                return Effects(within=frozenset((name,)))
            if written is None:
                return self._given(name) if name in self._references else Effects()
            if name in self._deduced:
                return self._through(self._deduced.pop(name))
            if written == _ANY or self._is_class(written):
                return ALL
            return Effects(elements=bool(written) and self._is_number(written))
        return Effects() if pointer.type.endswith("literal") else ALL

    def _through_answer(self, call: Node) -> Effects:
        """What a write through `p.get()`, or `v.data()`, may change: what these are of."""
        function = call.child_by_field_name("function")
        on, field = (
            function.child_by_field_name(f) if function is not None else None
            for f in ("argument", "field")
        )
        if on is None or field is None or self._text_of(field) not in _POINTING:
            return ALL
        in_sight = self._summaries.called(self._text_of(field), self._place)
        return self._through(on) if in_sight is None else ALL

    def _referred(self, name: str) -> Effects:
        """What a write to a variable changes: of those out of functions others keep account."""
        written = self._references.get(name)
        if name in self._own:
            return Effects()
        if name in self._elements:
            return self._through(self._elements[name])
        if name in self._aliases:
            return self._written(self._aliases[name])
        if written is None:
            return Effects(members=frozenset((name,))) if self._in_method else Effects()
        is_number = not self._is_class(written) and self._is_number(written)
        return Effects(elements=True) if is_number else self._given(name)

    def _given(self, name: str) -> Effects:
        """What a write to the elements of what is given by reference may change."""
        sequence = _SEQUENCE.fullmatch(self._references[name])
        if sequence is None or self._is_class(sequence[1]) or not self._is_number(sequence[1]):
            return ALL
        return Effects(elements=True)

    def _is_number(self, written: str) -> bool:
        self._place.session.steps = 0
        words = named(written).name.split()
        found = type_of_words(words, self._place) if words else None
        return found is None or found.kind in ("int", "float")

    def _makes_number(self, cast: Node) -> bool:
        """Whether what a cast makes is a number, which is no place to write to."""
        kind = cast.child_by_field_name("type")
        written = self._text_of(kind) if kind is not None else "&"
        return not set("*&") & set(written) and not self._is_class(written)

    def _is_class(self, written: str) -> bool:
        name = named(written).name
        own = self._place.function
        template = {p.name for p in own.template} if own is not None else set()
        return "<" in written or name in template or class_of(name, self._place) is not None

    def _call(self, node: Node) -> Effects:
        function = node.child_by_field_name("function")
        if any(c.type == "kernel_call_syntax" for c in node.children):
            return Effects()
        if function is not None and function.type in _TYPES:  # `int(x)`
            return Effects()
        if function is None or function.type not in _NAMED:
            return ALL if function is None else self._method(function)
        name = self._text_of(function).partition("<")[0].rpartition("::")[2].strip()
        if name in self._elements or name in self._aliases:
            return ALL
        if name in self._own or name in self._references:
            is_object = name in self._copies or self._is_class(self._references.get(name, ""))
            found = self._summaries.called("operator()", self._place) if is_object else None
            return ALL if found is None else self._summaries.of_all(found, self._place)
        arguments = children_of(node.child_by_field_name("arguments"))
        macro = self._place.macros.get(name)
        if macro is not None:
            words = [t.text for t in getattr(macro, "body", ())]
            writes = any(_WRITES.fullmatch(word) for word in words)
            return ALL if writes and {"->", "."} & set(words) else Effects()
        found = self._summaries.called(name, self._place)
        if found is not None:
            return self._summaries.of_all(found, self._place)
        if READS.fullmatch(name) or text_functions.is_known(name):
            return Effects()
        only, by_name = (
            COPIED_FROM.get(name),
            not self._summaries.by_pointer(self._place.file, name),
        )
        result = Effects()
        for position, argument in enumerate(arguments):
            if position != only and argument.type not in ("call_expression", "pointer_expression"):
                result |= self._handed(argument, by_name)
        return result

    def _names(self, function: Node) -> tuple[str, ...]:
        """The names that what is called may have: an object's is that of its operator."""
        field = function.child_by_field_name("field")
        name = self._text_of(function if field is None else field)
        return name.partition("<")[0].rpartition("::")[2].strip(), "operator()"

    def _method(self, function: Node) -> Effects:
        """What a method may write: one in sight, of the call's own container, or that only asks."""
        on, field = (function.child_by_field_name(f) for f in ("argument", "field"))
        if on is None or field is None:
            return ALL
        for name in self._names(function):
            if (found := self._summaries.called(name, self._place)) is not None:
                return self._summaries.of_all(found, self._place)
        own = self._text_of(on)
        is_own = on.type == "identifier" and self._own.get(own) == "" and own not in self._copies
        if is_own or self._text_of(field) in _ASKING:
            return Effects()
        is_change = on.type == "identifier" and self._text_of(field) in _CHANGES
        return self._given(own) if is_change and own in self._references else ALL

    def _handed(self, argument: Node, by_name: bool) -> Effects:
        """What a function that is not in sight may write through an argument."""
        if argument.type.endswith("literal") or argument.type in ("true", "false", "null"):
            return Effects()
        if argument.type == "identifier":
            name = self._text_of(argument)
            if name in self._copies or name in self._elements:
                return ALL
            if name in self._aliases:
                return self._handed(self._aliases[name], by_name)
            if not self._own.get(name):
                return self._referred(name)
        if argument.type in ("conditional_expression", "unary_expression", "sizeof_expression"):
            return Effects()
        if argument.type == "cast_expression" and self._makes_number(argument):
            return Effects()
        field = argument.child_by_field_name("field")
        if by_name and argument.type == "field_expression" and field is not None:
            return self._written(argument) | self._through(argument)
        return self._through(argument)
