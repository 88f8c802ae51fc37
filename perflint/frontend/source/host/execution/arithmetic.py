"""C's arithmetic of a run, on plain numbers: types are asked for only where they decide."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution import text_functions
from perflint.frontend.source.host.execution.calls import Calls
from perflint.frontend.source.host.execution.run_state import Alias, Frame, Reference
from perflint.frontend.source.host.execution.streams import kind_at
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, compared, moved
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import CType, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.streams import Stream
from perflint.frontend.source.language.tokens import OPERATORS
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: Methods and functions that count.
_COUNTS = pattern(r"\b(?:size|length|count|capacity|strlen)\s*\([^()]*\)\Z")
_TRUTHS = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
#: What names a variable and does nothing.
_NAMES = ("identifier", "field_expression", "subscript_expression", "this", "field_identifier",
          "number_literal", "subscript_argument_list", "qualified_identifier")  # fmt: skip
_INSIDE = ("parenthesized_expression", "assignment_expression", "update_expression")


class Arithmetic(Calls):
    """Operators; `Reading` has the variables."""

    @abstractmethod
    def _folded_text(self, text: str, frame: Frame) -> Any:
        """A constant expression's number."""

    def _binary_expression(self, node: Node, frame: Frame) -> Any:
        sign = node.child_by_field_name("operator")
        kind = OPERATORS.get(sign.type, sign.type) if sign is not None else ""
        if kind in ("", "&&", "||"):
            return super()._binary_expression(node, frame)
        if kind == "/" and (count := self._extent(node, frame)) is not None:
            return count
        left = self.value(node.child_by_field_name("left"), frame)
        right = node.child_by_field_name("right")
        if kind in ("<<", ">>"):
            self._operator_on(left, f"operator{kind}", frame)
        if isinstance(left, Stream) and kind in ("<<", ">>"):
            return self.shifted(left, kind, right, frame)
        if kind == ">>" and not isinstance(left, int):  # `stream >> n`
            self._put(right, UNKNOWN, frame)
            return UNKNOWN
        other = self.value(right, frame)
        if kind in ("+", "-") and (at := moved(left, other, kind)) is not None:
            return at
        return self._operated(kind, left, other, node, frame)

    def _extent(self, node: Node, frame: Frame) -> int | None:
        """`sizeof table / sizeof table[0]`."""
        sides = [node.child_by_field_name(f) for f in ("left", "right")]
        if any(s is None or s.type != "sizeof_expression" or not children_of(s) for s in sides):
            return None
        of, one = (children_of(s)[0] for s in sides if s is not None)
        texts = [frame.place.file.source.text_of(n).strip("( )") for n in (of, one)]
        if texts[1] not in (f"{texts[0]}[0]", f"*{texts[0]}"):
            return None
        held = self.value(of, frame)
        return held.size if isinstance(held, Array) and isinstance(held.size, int) else None

    def _operated(self, sign: str, left: Any, right: Any, node: Node, frame: Frame) -> Any:
        """An operator's result, by the operands' types where they decide about it."""
        if isinstance(left, Reference) and isinstance(right, Reference):
            return compared(sign, left, right)
        found = text_functions.operated(sign, left, right)
        numbers = [v for v in (left, right, found) if isinstance(v, (int, float))]
        if len(numbers) < 3 or all(isinstance(v, int) and 0 <= v < 1 << 31 for v in numbers):
            return found
        kinds = [self._type_of(node.child_by_field_name(f), frame) for f in ("left", "right")]
        one, other = kinds
        if one is not None and other is not None:
            exact = c_types.binary(sign, Value(left, one), Value(right, other))
            return UNKNOWN if exact is None else exact.number
        below = any(isinstance(v, int) and v < 0 for v in numbers)
        doubted = below and any(k is not None and k.kind == "int" and not k.signed for k in kinds)
        wide = sign in (">>", "/", "%") and isinstance(left, int) and abs(left) >= 1 << 32
        return UNKNOWN if doubted or wide else found

    def _unary_expression(self, node: Node, frame: Frame) -> Any:
        sign, argument = (node.child_by_field_name(f) for f in ("operator", "argument"))
        if sign is None or sign.type not in ("-", "~"):
            return super()._unary_expression(node, frame)
        value = self.value(argument, frame)
        if not isinstance(value, (int, float)):
            return UNKNOWN
        kind = self._type_of(argument, frame)
        if kind is None:
            return -value if sign.type == "-" else UNKNOWN
        found = c_types.unary(sign.type, Value(value, kind))
        return UNKNOWN if found is None else found.number

    def _type_of(self, node: Node | None, frame: Frame) -> CType | None:
        """The number's type that C gives an expression; None where that cannot be told."""
        self._muted += 1
        try:
            found = None if node is None else self._typed(node, frame)
        finally:
            self._muted -= 1
        return found if found is not None and found.kind in ("int", "float") else None

    def _typed(self, node: Node, frame: Frame) -> CType | None:
        kind, source = node.type, frame.place.file.source
        if kind in _INSIDE:
            inside = node.child_by_field_name("left") or children_of(node)[0]
            return self._typed(inside, frame)
        if kind == "cast_expression":
            written = node.child_by_field_name("type")
            return None if written is None else self._kind(source.text_of(written), frame.place)
        if kind in ("binary_expression", "conditional_expression"):
            return self._common(node, frame)
        if kind == "unary_expression":
            of = self._type_of(node.child_by_field_name("argument"), frame)
            promoted = c_types.unary("+", None if of is None else Value(0, of))
            is_not = source.text_of(node)[:1] == "!"
            return c_types.INT if is_not else None if promoted is None else promoted.type
        if kind == "sizeof_expression":
            return c_types.ULONG
        if kind == "call_expression":
            if _COUNTS.search(source.text_of(node)):
                return c_types.ULONG
            head, _, rest = source.text_of(children_of(node)[0]).partition("<")
            return self._kind(rest[:-1] if head.endswith("_cast") else head, frame.place)
        if kind == "number_literal":
            return self._constant_type(node, frame)
        return self._kept_type(node, frame) if _only_names(node) else None

    def _common(self, node: Node, frame: Frame) -> CType | None:
        """The type of an operator's result, or of either arm's."""
        sign = node.child_by_field_name("operator")
        if sign is not None and sign.type in _TRUTHS:
            return c_types.INT
        fields = ("left", "right") if sign is not None else ("consequence", "alternative")
        one, other = (self._type_of(node.child_by_field_name(f), frame) for f in fields)
        if one is None or other is None:
            return None
        by = sign.type if sign is not None and sign.type in ("<<", ">>") else "+"
        found = c_types.binary(by, Value(0, one), Value(0, other))
        return None if found is None else found.type

    def _kept_type(self, node: Node, frame: Frame) -> CType | None:
        """The type of a variable, a member or an element."""
        if node.type == "subscript_expression":
            of = self.value(node.child_by_field_name("argument"), frame)
            return of.number if isinstance(of, Array) else None
        place = self._place(node, frame)
        if place is None:
            return self._constant_type(node, frame)
        while isinstance(held := place.get(), Alias):
            place = held
        return place.within.number if isinstance(place.within, Array) else kind_at(place)

    def _constant_type(self, node: Node, frame: Frame) -> CType | None:
        self.session.steps = 0
        text = frame.place.file.source.text_of(node)
        if self._folded_text(text, frame) is UNKNOWN:
            return None
        found = fold(text, frame.place)
        return None if found is None else found.type


def _only_names(node: Node) -> bool:
    return node.type in _NAMES and all(_only_names(each) for each in children_of(node))
