"""What C's allocation makes: structures, `(Info *)malloc(sizeof(*info))`, of unknown members.

Of numbers only short tables are followed, as these hold a program's sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perflint.base.patterns import pattern
from perflint.frontend.source.host.execution.classes import class_of, named
from perflint.frontend.source.host.execution.instances import Instances
from perflint.frontend.source.host.execution.run_state import Frame, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, lose, pointer_to
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ALLOCATES = ("malloc", "calloc")
_POINTER = pattern(r"(?:struct\s+)?([\w:]+)\s*\*")
_MOST = 64  #: elements that are made


class Allocations(Instances):
    """Allocations; `Library` has the other functions of the library."""

    def _allocated(self, written: str, call: Node | None, frame: Frame) -> Reference | None:
        """What a cast to a type makes of a call that allocates; None for any other call."""
        type_ = _POINTER.fullmatch(written.strip())
        name = call.child_by_field_name("function") if call is not None else None
        source = frame.place.file.source
        if type_ is None or call is None or name is None:
            return None
        if source.text_of(name).rpartition("::")[2] not in _ALLOCATES:
            return None
        arguments = children_of(call.child_by_field_name("arguments"))
        count = self._count_of(type_[1], arguments, frame)
        if not isinstance(count, int) or count < 1:
            return None
        is_class = class_of(named(type_[1]).name, frame.place) is not None
        if is_class and count == 1:
            made = self._construct(type_[1], (), frame, "")
            lose([made])
            return pointer_to(made)
        kind = self._kind(type_[1], frame.place)
        if count > _MOST or not (is_class or kind is not None):
            return None
        table = Array(count, UNKNOWN, type_[1], fixed=True)
        table.number = kind
        for index in range(count if is_class else 0):
            table[index] = made = self._construct(type_[1], (), frame, "")
            lose([made])
        return Reference(table, 0)

    def _count_of(self, type_: str, arguments: list[Node], frame: Frame) -> Any:
        """How many objects of a type an allocation holds: `n * sizeof(T)`, or `n, sizeof(T)`."""
        if len(arguments) == 2:
            known = self._is_size(arguments[1], type_, frame)
            return self.value(arguments[0], frame) if known else UNKNOWN
        if len(arguments) != 1:
            return UNKNOWN
        of = arguments[0]
        if self._is_size(of, type_, frame):
            return 1
        sides = [of.child_by_field_name(field) for field in ("left", "right")]
        sign = of.child_by_field_name("operator")
        if of.type != "binary_expression" or sign is None or sides[0] is None or sides[1] is None:
            return UNKNOWN
        sized = [self._is_size(side, type_, frame) for side in sides if side is not None]
        if sign.type == "+" and sized[0]:  # with an array of any length at its end
            return 1
        if sign.type != "*" or sized[0] == sized[1]:
            return UNKNOWN
        return self.value(sides[sized[0]], frame)

    def _is_size(self, node: Node, type_: str, frame: Frame) -> bool:
        """Whether an expression is the size of one object: `sizeof(T)`, `sizeof(*p)`."""
        if node.type != "sizeof_expression":
            return False
        text = frame.place.file.source.text_of(node).removeprefix("sizeof").strip()
        while text.startswith("(") and text.endswith(")"):
            text = text[1:-1].strip()
        return text.startswith("*") or text.removeprefix("struct").strip() == type_
