"""What expressions of host code are worth in a run of its statements: text, numbers, references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import text_functions
from perflint.frontend.source.host.execution.run_state import (
    Alias,
    Before,
    Frame,
    Lambda,
    Object,
    Reference,
    ReturnedError,
    StoppedError,
)
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.every_way import does_not_return
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.tokens import OPERATORS
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function
    from perflint.frontend.source.project.files import File

STEPS = 20_000  #: statements and expressions that are run for one answer
DEPTH = 16  #: calls inside of calls
NESTED = 100  #: nodes inside of nodes, of all calls
#: A declared type that holds text.
TEXT = pattern(r"\b(?:string|string_view)$")
PLACES = ("identifier", "field_expression", "subscript_expression", "pointer_expression")


class Evaluator(ABC):
    """The expressions of one run; `Interpreter` has the statements."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words  #: that the program is run with
        self.options = text_functions.Options(words)
        self._left, self._most_nested = STEPS, NESTED
        self._deep = 0  #: calls that are run
        self._nested = 0  #: nodes that are looked at, one inside of the other

    @abstractmethod
    def run(self, node: Node, frame: Frame) -> None:
        """Run a statement."""

    @abstractmethod
    def _declare(self, node: Node, frame: Frame) -> None:
        """Hold what a declaration declares."""

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoppedError

    def _truth(self, node: Node | None, frame: Frame) -> Any:
        return text_functions.truth(self._asked(node, frame))

    def _asked(self, node: Node | None, frame: Frame) -> Any:
        """The value that a condition asks for, behind what it declares."""
        is_clause = node is not None and node.type == "condition_clause"
        parts: Sequence[Node | None] = children_of(node) if is_clause and node else []
        found: Any = UNKNOWN
        for each in parts or [node]:
            if each is not None and each.type == "declaration":
                self._declare(each, frame)
            else:
                found = self.value(each, frame)
        return found

    def _forget(self, node: Node, frame: Frame) -> None:
        """What a statement that may run or not leaves unknown. Raises where it may end the run."""
        waiting = [node]
        while waiting:
            each = waiting.pop()
            self._count()
            if each.type in ("return_statement", "goto_statement", "throw_statement"):
                raise StoppedError
            if each.type in ("assignment_expression", "update_expression"):
                target = each.child_by_field_name("left") or each.child_by_field_name("argument")
                self._put(target, UNKNOWN, frame)
            if each.type == "call_expression":
                arguments = each.child_by_field_name("arguments")
                for argument in children_of(arguments) if arguments is not None else ():
                    if argument.type in PLACES:
                        self._put(argument, UNKNOWN, frame)
            waiting += children_of(each)

    # --- expressions --------------------------------------------------------------------------

    def value(self, node: Node | None, frame: Frame) -> Any:
        """The value of an expression: a number, text, or UNKNOWN."""
        if node is None:
            return UNKNOWN
        self._enter()
        try:
            meaning = _meaning(type(self), node.type)
            return self._folded(node, frame) if meaning is None else meaning(self, node, frame)
        finally:
            self._nested -= 1

    def _enter(self) -> None:
        """One node further in. Raises StoppedError where that is too far, or too much."""
        self._left -= 1
        if self._left < 0 or self._nested >= self._most_nested:
            raise StoppedError
        self._nested += 1

    def _folded(self, node: Node, frame: Frame) -> Any:
        text = frame.place.file.source.text_of(node)
        if text.endswith("npos"):
            return text_functions.NPOS
        with frame.place.session.reading():
            found = fold(text, frame.place)
        return UNKNOWN if found is None or found.term is not None else found.number

    def _parenthesized_expression(self, node: Node, frame: Frame) -> Any:
        return self.value(children_of(node)[0], frame)

    def _string_literal(self, node: Node, frame: Frame) -> Any:
        return text_functions.unquoted(frame.place.file.source.text_of(node))

    _raw_string_literal = _concatenated_string = _string_literal

    def _char_literal(self, node: Node, frame: Frame) -> Any:
        text = text_functions.unquoted(frame.place.file.source.text_of(node))
        return ord(text) if isinstance(text, str) and len(text) == 1 else UNKNOWN

    def _null(self, node: Node, frame: Frame) -> Any:
        return None

    def _identifier(self, node: Node, frame: Frame) -> Any:
        name = frame.place.file.source.text_of(node)
        if name in ("NULL", "nullptr"):
            return None
        if name == "optarg":
            return self.options.argument
        place = self._place(node, frame)
        found = place.get() if place is not None else UNKNOWN
        return found.get() if isinstance(found, Alias) else found

    def _binary_expression(self, node: Node, frame: Frame) -> Any:
        sign = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        kind = OPERATORS.get(sign.type, sign.type) if sign is not None else ""
        first = self.value(left, frame)
        if kind in ("&&", "||"):
            holds = text_functions.truth(first)
            if holds is UNKNOWN and right is not None:
                self._forget(right, frame)
                return UNKNOWN
            if bool(holds) == (kind == "||"):
                return int(holds)
            second = text_functions.truth(self.value(right, frame))
            return UNKNOWN if second is UNKNOWN else int(second)
        return text_functions.operated(kind, first, self.value(right, frame))

    def _unary_expression(self, node: Node, frame: Frame) -> Any:
        sign = node.child_by_field_name("operator")
        value = self.value(node.child_by_field_name("argument"), frame)
        kind = OPERATORS.get(sign.type, sign.type) if sign is not None else ""
        if kind == "!":
            holds = text_functions.truth(value)
            return UNKNOWN if holds is UNKNOWN else int(not holds)
        if not isinstance(value, (int, float)):
            return UNKNOWN
        return -value if kind == "-" else value if kind == "+" else UNKNOWN

    def _conditional_expression(self, node: Node, frame: Frame) -> Any:
        holds = self._truth(node.child_by_field_name("condition"), frame)
        if holds is UNKNOWN:
            self._forget(node, frame)
            return UNKNOWN
        return self.value(
            node.child_by_field_name("consequence" if holds else "alternative"), frame
        )

    def _comma_expression(self, node: Node, frame: Frame) -> Any:
        found: Any = UNKNOWN
        for each in children_of(node):
            found = self.value(each, frame)
        return found

    def _cast_expression(self, node: Node, frame: Frame) -> Any:
        kind = frame.place.file.source.text_of(node.child_by_field_name("type"))  # type: ignore[arg-type]
        return self._cast(kind, self.value(node.child_by_field_name("value"), frame), frame)

    def _cast(self, kind: str, value: Any, frame: Frame) -> Any:
        target = type_of_words(kind.replace("std::", "").split(), frame.place)
        if not isinstance(value, (int, float)) or target is None:
            return value if isinstance(value, str) else UNKNOWN
        return int(value) if target.kind == "int" else float(value)

    def _assignment_expression(self, node: Node, frame: Frame) -> Any:
        target = node.child_by_field_name("left")
        sign = node.child_by_field_name("operator")
        value = self.value(node.child_by_field_name("right"), frame)
        kind = sign.type if sign is not None else "="
        if kind != "=":
            value = text_functions.operated(kind[:-1], self.value(target, frame), value)
        self._put(target, value, frame)
        return value

    def _update_expression(self, node: Node, frame: Frame) -> Any:
        target, sign = node.child_by_field_name("argument"), node.child_by_field_name("operator")
        before = self.value(target, frame)
        step = 1 if sign is not None and sign.type == "++" else -1
        after = before + step if isinstance(before, int) else UNKNOWN
        self._put(target, after, frame)
        is_first = sign is not None and target is not None and sign.start_byte < target.start_byte
        return after if is_first else before

    def _subscript_expression(self, node: Node, frame: Frame) -> Any:
        place = self._place(node, frame)
        return UNKNOWN if place is None else text_functions.element(place.within, place.key)

    def _field_expression(self, node: Node, frame: Frame) -> Any:
        place = self._place(node, frame)
        return UNKNOWN if place is None else place.get()

    def _pointer_expression(self, node: Node, frame: Frame) -> Any:
        sign, inner = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        if sign is not None and sign.type == "&":
            return self._place(inner, frame) or UNKNOWN
        value = self.value(inner, frame)
        if isinstance(value, Reference):
            return value.get()
        return text_functions.element(value, 0) if isinstance(value, (str, list)) else UNKNOWN

    def _lambda_expression(self, node: Node, frame: Frame) -> Any:
        return Lambda(node, frame)

    def _initializer_list(self, node: Node, frame: Frame) -> Any:
        return [self.value(each, frame) for each in children_of(node)]

    # --- where values are kept ----------------------------------------------------------------

    def _put(self, node: Node | None, value: Any, frame: Frame) -> None:
        place = self._place(node, frame) if node is not None else None
        if place is None and node is not None and node.type == "pointer_expression":
            raise StoppedError  # whatever that is
        if place is not None:
            held = place.get()
            (held if isinstance(held, Alias) else place).set(value)

    def _alias(self, node: Node | None, frame: Frame) -> Alias | None:
        """What a reference that is made of an expression names."""
        place = self._place(node, frame)
        held = place.get() if place is not None else None
        if place is None or isinstance(held, Alias):
            return held
        return Alias(place.within, place.key)

    def _place(self, node: Node | None, frame: Frame) -> Reference | None:
        """Where a variable, a member, an element or what a pointer leads to is kept."""
        if node is None:
            return None
        source = frame.place.file.source
        if node.type == "identifier":
            name = source.text_of(node)
            found = frame.find(name)
            if name not in found.held:
                found.held[name] = self._from_outside(name, frame)
            return Reference(found.held, name)
        if node.type == "parenthesized_expression":
            return self._place(children_of(node)[0], frame)
        if node.type == "field_expression":
            if any(c.type in (".*", "->*", "ERROR") for c in node.children):
                raise StoppedError  # whichever member that is
            base = self._object(node.child_by_field_name("argument"), frame)
            field = node.child_by_field_name("field")
            return None if base is None or field is None else Reference(base, source.text_of(field))
        if node.type == "subscript_expression":
            within = self.value(node.child_by_field_name("argument"), frame)
            indices = node.child_by_field_name("indices") or node.child_by_field_name("index")
            parts = (
                children_of(indices)
                if indices is not None and "list" in indices.type
                else [indices]
            )
            key = self.value(parts[0], frame) if parts else UNKNOWN
            return None if key is UNKNOWN or within is UNKNOWN else Reference(within, key)
        if node.type == "pointer_expression":
            value = self.value(node.child_by_field_name("argument"), frame)
            return value if isinstance(value, Reference) else None
        return None

    def _object(self, node: Node | None, frame: Frame) -> Object | None:
        """The structure that a member is asked of, through a pointer or a reference or not."""
        place = self._place(node, frame)
        if place is None:
            return None
        held = place.get()
        while isinstance(held, Reference):
            place, held = held, held.get()
        if held is UNKNOWN:
            held = Object()
            place.set(held)
        return held if isinstance(held, Object) else None

    def _from_outside(self, name: str, frame: Frame) -> Any:
        """What a variable holds that nothing here has set: a number, or the program's words."""
        place = frame.place
        if (given := text_functions.arguments(place, name, self.words)) is not None:
            return given
        function, body = place.function, place.body()
        parameter = function.parameter(name) if function is not None else None
        if parameter is not None and parameter.pointers == 1 and "char" not in parameter.type:
            return Reference(Object(), "*")
        declared = body.visible(name, place.at) if body is not None else None
        if declared is not None and declared.value is not None and TEXT.search(declared.type):
            return self.value(declared.value, frame)
        if declared is not None and "vector" in declared.type and declared.value is not None:
            first = children_of(declared.value)[:1]
            given = self.value(first[0], frame) if first else UNKNOWN
            return list(given) if isinstance(given, list) else UNKNOWN
        with place.session.reading():
            is_macro = declared is None and parameter is None
            found = fold(name, place) if is_macro else place.variable(name)
        if found is None and declared is not None and not declared.pointers:
            return Before(lambda member: self._member_before(place, name, member))
        return UNKNOWN if found is None or found.term is not None else found.number

    def _member_before(self, place: Environment, name: str, member: str) -> Any:
        self._count()
        with place.session.reading():
            found = place.member(name, member)
        return UNKNOWN if found is None or found.term is not None else found.number

    # --- calls --------------------------------------------------------------------------------

    def _call_expression(self, node: Node, frame: Frame) -> Any:
        function, given = (node.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or given is None:
            return UNKNOWN
        source = frame.place.file.source
        arguments = children_of(given)
        name = source.text_of(function)
        last = name.rsplit("::", 1)[-1]
        if does_not_return(last):
            raise StoppedError
        if function.type == "field_expression":
            return self._method(function, arguments, frame)
        if function.type == "template_function" or name.endswith(">"):
            inside = name[name.find("<") + 1 : -1]
            return (
                self._cast(inside, self.value(arguments[0], frame), frame) if arguments else UNKNOWN
            )
        if last.startswith("getopt"):
            texts = [source.text_of(each) for each in arguments]
            return self.options.next(texts, frame.place)
        if isinstance(made := frame.find(name).held.get(name), Lambda):
            return self._called(made.node, self._bound(made.node, arguments, frame), made.frame)
        if last == "sscanf" and len(arguments) > 2:
            return self._scanned(arguments, frame)
        if text_functions.is_known(last):
            values = [self.value(each, frame) for each in arguments]
            if last.startswith("strto") and len(values) > 1 and isinstance(values[1], Reference):
                values[1].set(text_functions.behind_number(values[0]))
            return text_functions.called(last, values)
        if type_of_words(name.split(), frame.place) is not None and len(arguments) == 1:
            return self._cast(name, self.value(arguments[0], frame), frame)
        if (found := _function(frame.place, last, len(arguments))) is not None:
            return self._user(*found, arguments, frame)
        values = [self.value(each, frame) for each in arguments]
        for argument, value in zip(arguments, values, strict=True):  # who knows what it writes
            if isinstance(value, Reference):
                value.set(UNKNOWN)
            elif argument.type in PLACES and not isinstance(value, (str, list)):
                self._put(argument, UNKNOWN, frame)
        return text_functions.read(values)

    def _scanned(self, arguments: Sequence[Node], frame: Frame) -> Any:
        """`sscanf(text, "%dx%d", &width, &height)`."""
        text, written = (self.value(each, frame) for each in arguments[:2])
        targets = [self.value(each, frame) for each in arguments[2:]]
        known = isinstance(text, str) and isinstance(written, str)
        found = text_functions.scanned(text, written) if known else None
        values = [UNKNOWN] * len(targets) if found is None else found[0]
        for target, value in zip(targets, values, strict=False):
            if isinstance(target, Reference):
                target.set(value)
        return UNKNOWN if found is None else len(found[0])

    def _method(self, function: Node, arguments: Sequence[Node], frame: Frame) -> Any:
        on = self.value(function.child_by_field_name("argument"), frame)
        field = function.child_by_field_name("field")
        name = frame.place.file.source.text_of(field) if field is not None else ""
        return text_functions.method(on, name, [self.value(each, frame) for each in arguments])

    def _user(self, file: File, function: Function, arguments: Sequence[Node], frame: Frame) -> Any:
        held: dict[str, Any] = {}
        for parameter, argument in zip(function.parameters, arguments, strict=False):
            bound = self._alias(argument, frame) if parameter.reference else None
            held[parameter.name] = bound or self.value(argument, frame)
        if function.body is None:
            return UNKNOWN
        place = frame.place.elsewhere(file, function.body.start_byte + 1)
        return self._entered(function.body, Frame(place, held))

    def _bound(self, node: Node, arguments: Sequence[Node], frame: Frame) -> dict[str, Any]:
        source = frame.place.file.source
        declarator = node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        held: dict[str, Any] = {}
        for parameter, argument in zip(
            children_of(listed) if listed else (), arguments, strict=False
        ):
            named = parameter.child_by_field_name("declarator")
            text = source.text_of(named) if named is not None else ""
            by_reference = text.startswith("&") and "const" not in source.text_of(parameter).split()
            value = self._alias(argument, frame) if by_reference else None
            held[text.lstrip("&* ")] = value or self.value(argument, frame)
        return held

    def _called(self, node: Node, held: dict[str, Any], frame: Frame) -> Any:
        body = node.child_by_field_name("body")
        return UNKNOWN if body is None else self._entered(body, Frame(frame.place, held, frame))

    def _entered(self, body: Node, frame: Frame) -> Any:
        if self._deep >= DEPTH:
            raise StoppedError
        self._deep += 1
        try:
            self.run(body, frame)
        except ReturnedError as returned:
            return returned.value
        finally:
            self._deep -= 1
        return None


@cache
def _meaning(run: type[Evaluator], kind: str) -> Callable[..., Any] | None:
    """The method for nodes of a kind: looked for through a dozen classes, and for each node."""
    found: Callable[..., Any] | None = getattr(run, f"_{kind}", None)
    return found


def _function(place: Environment, name: str, count: int) -> tuple[File, Function] | None:
    """The one function of a name that a call with so many arguments may mean."""
    found = [
        (file, function)
        for file in place.file.family
        for function in file.declarations.by_name.get(name, ())
        if function.body is not None and not function.method and len(function.parameters) >= count
    ]
    return found[0] if len({f.node.id for _, f in found}) == 1 else None
