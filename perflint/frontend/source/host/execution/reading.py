"""What expressions of a run are worth, and where values are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import named_flags, text_functions
from perflint.frontend.source.host.execution.char_arrays import start_of, text_of
from perflint.frontend.source.host.execution.effects import lose_by
from perflint.frontend.source.host.execution.library import PLACES
from perflint.frontend.source.host.execution.noting import Noting
from perflint.frontend.source.host.execution.nth_turn import Counted
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    Frame,
    Reference,
    StoppedError,
    Visit,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import (
    Array,
    Call,
    Callee,
    Cells,
    Record,
    Table,
    as_kind,
    copied,
    decayed,
    lose,
    moved,
    pointer_to,
)
from perflint.frontend.source.host.options.option_tables import flag
from perflint.frontend.source.host.values.choices import UndecidedError
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.project.files import File
    from perflint.frontend.source.project.sight import Project

STEPS = 60_000  #: statements and expressions of one program
NESTED = 160
#: Questions of a type that its values answer.
_TRAIT = pattern(r"std::(?:(is_convertible)_v<(\w+),std::string>|(is_arithmetic)_v<(\w+)>)")


class Reading(Noting):
    """Reading and writing; `Run` has the statements."""

    def __init__(self, words: Sequence[str], project: Project) -> None:
        super().__init__(words, project)
        self._left, self._most_nested = STEPS, NESTED
        self.globals = Cells()
        self.fixed = Cells()  #: those of them that nothing may write to
        self.unnamed = {}
        self._loops: list[int] = []  #: those that run: the steps that were left when each began
        self._visits: list[Visit] = []  #: the blocks that run, the outermost first
        self._behind: list[tuple[File, Node]] = []  #: what stands behind the place where it stops
        self._counted: tuple[Counted, ...] = ()  #: of these, what counts their turns
        self._hidden: list[dict[str, Any]] = []  #: what each block that runs hides
        self._within: dict[tuple[int, int, tuple[str, ...]], list[Node]] = {}
        self._long: set[tuple[str, int]] = set()  #: loops of too many turns
        self._data: set[tuple[str, int]] = set()  #: loops that keep nothing known
        self._outside: dict[tuple[int, int, str], Any] = {}

    def _identifier(self, node: Node, frame: Frame) -> Any:
        name = frame.place.file.source.text_of(node)
        if name in ("NULL", "nullptr"):
            return None
        if name == "optarg":
            return self.options.argument
        place = self._place(node, frame)
        if place is None:
            found = self._constant(name, frame)
            if found is UNKNOWN and name == "EOF":
                return -1  # ISO C, 7.21.1: some negative number, and this with every compiler
            return self._callee(name, frame) if found is UNKNOWN else found
        if place.within is self.globals and place.get() is UNKNOWN:
            named = self._callee(name, frame)  # a prototype
            if named is not UNKNOWN:
                return named
        return self._held_at(node, place, frame)

    def _callee(self, name: str, frame: Frame) -> Any:
        """A function that is named without being called."""
        last = name.rsplit("::", 1)[-1]
        known = (f.declarations.by_name.get(last, ()) for f in self.project.neighbours(last))
        plain = any(not f.method and f.body is not None for found in known for f in found)
        return Callee(name, frame.place) if plain else UNKNOWN

    def _qualified_identifier(self, node: Node, frame: Frame) -> Any:
        text = frame.place.file.source.text_of(node)
        if text.endswith("::npos"):
            return text_functions.NPOS
        if (asked := _TRAIT.fullmatch("".join(text.split()))) is not None:
            return self._trait(asked[1] or asked[3], asked[2] or asked[4], frame)
        place = self._global(text, frame)
        if place is None:
            found = self._constant(text, frame)
            return self._callee(text, frame) if found is UNKNOWN else found
        return self._held_at(node, place, frame)

    def _trait(self, trait: str, type_: str, frame: Frame) -> Any:
        """Whether what a template's parameter stands for is text, or a number, by what is given."""
        function = frame.place.function
        given = [
            frame.find(p.name).held.get(p.name)
            for p in (function.parameters if function is not None else ())
            if p.type == type_ and not p.pointers
        ]
        value = given[0].get() if given and isinstance(given[0], Alias) else (given or [None])[0]
        if not isinstance(value, (int, float, str)):
            return UNKNOWN
        if trait == "is_convertible":
            return int(isinstance(value, str))
        return int(not isinstance(value, str))

    def _held_at(self, node: Node, place: Reference, frame: Frame) -> Any:
        """What is kept in a place, which is noted."""
        found = place.get()
        while isinstance(found, Alias):
            place, found = found, found.get()
        self._saw(node, found, frame)
        return found

    def _this(self, node: Node, frame: Frame) -> Any:
        held = self._object_of(frame)
        return UNKNOWN if held is None else pointer_to(held)

    def _true(self, node: Node, frame: Frame) -> Any:
        return 1

    def _false(self, node: Node, frame: Frame) -> Any:
        return 0

    def _constant(self, name: str, frame: Frame) -> Any:
        """A macro's, an enumerator's or another constant's number."""
        file = frame.place.file
        key = (id(file), frame.place.at, name)
        if key not in self._outside:
            self._outside[key] = self._folded_text(name, frame)
        return self._outside[key]

    def _folded_text(self, text: str, frame: Frame) -> Any:
        try:
            return self._computed(text, frame)
        except UndecidedError:
            return UNKNOWN

    def _folded(self, node: Node, frame: Frame) -> Any:
        return self._folded_text(frame.place.file.source.text_of(node), frame)

    def _parameter_declaration(self, node: Node, frame: Frame) -> Any:
        """`n * m` or `n[i]`, in what reads as a declaration."""
        declarator = node.child_by_field_name("declarator")
        if declarator is not None and declarator.type == "abstract_array_declarator":
            found = self.value(node.child_by_field_name("type"), frame)
            while isinstance(found, Array) and declarator is not None:
                key = self.value(declarator.child_by_field_name("size"), frame)
                found = found[key] if isinstance(key, int) else UNKNOWN
                declarator = declarator.child_by_field_name("declarator")
            return found if declarator is None else UNKNOWN
        other = declarator.child_by_field_name("declarator") if declarator is not None else None
        values = (self.value(n, frame) for n in (node.child_by_field_name("type"), other))
        return text_functions.operated("*", *values)

    _type_identifier = _identifier  # of what reads as a declaration: `Solver s(options)`

    def _field_expression(self, node: Node, frame: Frame) -> Any:
        place = self._place(node, frame)
        if place is None:
            self._saw(node, UNKNOWN, frame)
            return UNKNOWN
        return self._held_at(node, place, frame)

    def _subscript_expression(self, node: Node, frame: Frame) -> Any:
        place = self._place(node, frame)
        if place is None:
            return UNKNOWN
        if isinstance(place.within, (str, list)):
            return text_functions.element(place.within, place.key)
        return self._held_at(node, place, frame)

    def _call_expression(self, node: Node, frame: Frame) -> Any:
        self._calling.append((str(frame.place.file.path), node.start_byte))
        try:
            found = super()._call_expression(node, frame)
        finally:
            self._calling.pop()
        grows = found is UNKNOWN and self._turning
        if isinstance(found, (int, float)) or grows:
            self._saw(node, found, frame)
        return found

    def _place(self, node: Node | None, frame: Frame) -> Reference | None:
        if node is None:
            return None
        source = frame.place.file.source
        if node.type in ("identifier", "type_identifier"):
            return self._variable(source.text_of(node), frame)
        if node.type == "qualified_identifier":
            return self._global(source.text_of(node), frame)
        if node.type == "field_expression":
            if any(c.type in (".*", "->*", "ERROR") for c in node.children):
                return self._by_member_pointer(node, frame)
            base = self.value(node.child_by_field_name("argument"), frame)
            while isinstance(base, Reference):
                base = base.get()
            field = node.child_by_field_name("field")
            if not isinstance(base, Record) or field is None:
                return None
            return Reference(base, source.text_of(field))
        if node.type == "subscript_expression":
            return self._element_place(node, frame)
        if node.type == "pointer_expression":
            value = self.value(node.child_by_field_name("argument"), frame)
            value = Reference(value, 0) if isinstance(value, Array) else value
            return value if isinstance(value, Reference) else None
        if node.type == "parenthesized_expression":
            return self._place(children_of(node)[0], frame)
        if node.type in ("call_expression", "this"):
            value = self.value(node, frame)
            return value if isinstance(value, Reference) else None
        return None

    def _variable(self, name: str, frame: Frame) -> Reference | None:
        found = frame.find(name)
        if name in found.held:
            return Reference(found.held, name)
        this = self._object_of(frame)
        if this is not None and name in this:
            return Reference(this, name)
        return self._global(name, frame)

    def _element_place(self, node: Node, frame: Frame) -> Reference | None:
        within = self.value(node.child_by_field_name("argument"), frame)
        indices = node.child_by_field_name("indices") or node.child_by_field_name("index")
        listed = indices is not None and "list" in indices.type
        parts = children_of(indices) if listed else [indices]
        key = self.value(parts[0], frame) if len(parts) == 1 else UNKNOWN
        self._operator_on(within, "operator[]", frame)
        if isinstance(within, Reference) and isinstance(key, int):
            if isinstance(within.key, int):
                return Reference(within.within, within.key + key)
            return within if key == 0 else None
        if not isinstance(key, (int, str)) or not isinstance(within, (Array, Table, str, list)):
            return None
        if isinstance(within, Table) and key not in within and not within.lost:
            within[key] = copied(within.fresh)
        return Reference(within, key)

    def _by_member_pointer(self, node: Node, frame: Frame) -> Reference | None:
        raise StoppedError  # whichever member that is

    def _global(self, name: str, frame: Frame) -> Reference | None:
        """A variable out of functions, or a class's static member."""
        near = frame.place.file
        asked = (id(near), frame.place.at, f"global {name}")
        if asked not in self._outside:
            around = frame.place.place
            self._outside[asked] = self.project.global_variable(name, near, around, written=True)
        found = self._outside[asked]
        if found is None:
            return self._flag(name, frame)
        file, definition = found
        key = (str(file.path), definition.start)
        if key in self.fixed:
            return Reference(self.fixed, key)
        if key not in self.globals:
            self.globals[key] = UNKNOWN
            place = frame.place.elsewhere(file, definition.start)
            self._muted += 1
            value = self._made(definition.type, definition.pointers, definition.extents,
                               definition.value, Call(place, Cells()))  # fmt: skip
            self._muted -= 1
            is_plain = not definition.pointers and not definition.extents
            if definition.elsewhere:
                value = UNKNOWN
            elif value is UNKNOWN and definition.value is None and is_plain:
                value = 0 if self._kind(definition.type, place) is not None else value
            kind = self._kind(definition.type, place) if is_plain else None
            self.globals.declare(key, kind, value)
            if definition.constant and not definition.pointers:
                self.fixed[key] = self.globals.pop(key)
                return Reference(self.fixed, key)
        return Reference(self.globals, key)

    def _flag(self, name: str, frame: Frame) -> Reference | None:
        """A variable that gflags defines: what the program is told of it, or its default."""
        key = "flag", name
        if key not in self.globals:
            known = flag(name, self.project.neighbours(name))
            if known is None:
                return None
            kind, default, _ = known
            word = named_flags.told(self.words, name.removeprefix("FLAGS_"), kind)
            value = self._folded_text(default, frame) if word is None else word
            self.globals.declare(key, kind, value)
        return Reference(self.globals, key)

    def _cast_expression(self, node: Node, frame: Frame) -> Any:
        type_, value = (node.child_by_field_name(field) for field in ("type", "value"))
        written = frame.place.file.source.text_of(type_) if type_ is not None else ""
        return self._as_cast(written, value, frame)

    def _gnu_asm_expression(self, node: Node, frame: Frame) -> Any:
        """What assembly may write."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if each.type == "identifier":
                self._put(each, UNKNOWN, frame)
            waiting += children_of(each)
        return UNKNOWN

    def _pointer_expression(self, node: Node, frame: Frame) -> Any:
        sign, inside = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if sign is None or sign.type != "&":
            value = self.value(inside, frame)
            if isinstance(value, Callee):
                return value
            if isinstance(value, (Array, str)):
                return value[0] if isinstance(value, Array) else text_functions.element(value, 0)
            return value.get() if isinstance(value, Reference) else UNKNOWN
        place = self._place(inside, frame)
        held = place.get() if place is not None else None
        if place is None and isinstance(named := self.value(inside, frame), Callee):
            return named
        if place is None:  # the pointer may be written through
            self._lose_around(inside, frame)
        if isinstance(held, Alias):
            return Reference(held.within, held.key)
        return UNKNOWN if place is None else Reference(place.within, place.key)

    def _put(self, node: Node | None, value: Any, frame: Frame) -> None:
        if node is None:
            return
        place = self._place(node, frame)
        if place is None:
            self._lose_around(node, frame)
            return
        held = place.get()
        if isinstance(held, Alias):
            place = held
        if isinstance(own := place.get(), Record) and self._has(own, "operator=", 1):
            lose([own])
            return
        if isinstance(value, Record) and isinstance(place.get(), Record):
            value = copied(value)
        self._set(place, value, frame)

    def _lose_around(self, node: Node | None, frame: Frame) -> None:
        """Lose what an element is of, where nobody can tell which element that is."""
        if node is not None and node.type in ("subscript_expression", "pointer_expression"):
            within = self.value(node.child_by_field_name("argument"), frame)
            if isinstance(within, Record) and node.type == "subscript_expression":
                lose_by(self.summaries.returned(("operator[]",), frame.place), [within])
                return
            lose([Reference(within, 0)] if isinstance(within, Array) else [within])
        function = node.child_by_field_name("function") if node is not None else None
        if node is not None and function is not None:
            self._lose_answer(node, function, frame)

    def _lose_answer(self, call: Node, function: Node, frame: Frame) -> None:
        """Lose what a function may have handed out a reference to: `m.at(1, 2) = 3`."""
        field = function.child_by_field_name("field") or function
        name = frame.place.file.source.text_of(field).partition("<")[0].rpartition("::")[2]
        objects: list[Any] = [self._object_of(frame)]
        if field is not function:
            objects = [self.value(function.child_by_field_name("argument"), frame)]
        for each in children_of(call.child_by_field_name("arguments")):
            objects.append(self._place(each, frame) if each.type in PLACES else None)
        effects = self.summaries.returned((name, "operator()"), frame.place)
        lose_by(effects, [each for each in objects if each is not None])

    def _assignment_expression(self, node: Node, frame: Frame) -> Any:
        right, target = node.child_by_field_name("right"), node.child_by_field_name("left")
        sign = node.child_by_field_name("operator")
        plain = sign is None or sign.type == "="
        if plain and right is not None and right.type == "initializer_list" and target is not None:
            place = self._place(target, frame)
            held = UNKNOWN if place is None else place.get()
            held = held.get() if isinstance(held, Alias) else held
            type_ = held.class_ if isinstance(held, Record) else ""
            if place is not None and isinstance(place.within, Array) and held is UNKNOWN:
                type_ = "" if place.within.number else place.within.kind
            if place is not None and type_:
                form = self._construct(type_, children_of(right), frame, "{")
                self._set(place, form, frame)
                return form
        if plain:
            value = self.value(right, frame)
            if start_of(value) is None:
                value = decayed(value)
            elif self._is_text(target, frame):
                value = text_of(value)
            self._put(target, copied(value), frame)
            if isinstance(value, (int, float)):
                return as_kind(value, self._type_of(target, frame))
            return value
        held = self.value(target, frame)
        if isinstance(held, Record):  # by an operator of its class
            self.value(right, frame)
            lose([held])
            return UNKNOWN
        by = sign.type if sign is not None else ""
        if by in ("+=", "-=") and isinstance(held, (Reference, Array)):
            at = moved(held, self.value(right, frame), by[0]) or UNKNOWN
            self._put(target, at, frame)
            return at
        return super()._assignment_expression(node, frame)

    def _is_text(self, target: Node | None, frame: Frame) -> bool:
        """Whether a place holds a string of C++'s; what a pointer to characters holds is none."""
        place = self._place(target, frame)
        return place is not None and isinstance(place.get(), str)

    def _update_expression(self, node: Node, frame: Frame) -> Any:
        target, sign = node.child_by_field_name("argument"), node.child_by_field_name("operator")
        before = self.value(target, frame)
        if isinstance(before, Record):
            lose([before])
            return UNKNOWN
        after: Any = moved(before, 1, sign.type[0]) if sign is not None else None
        if isinstance(before, str) and sign is not None:  # a pointer that walks through a text
            after = before[1:] if before and sign.type == "++" else UNKNOWN
        if after is None or sign is None or target is None:
            return super()._update_expression(node, frame)
        self._put(target, after, frame)
        return after if sign.start_byte < target.start_byte else before
