"""What declarations in a run make: variables by block, static ones, parts of a structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from perflint.frontend.source.host.execution.classes import methods
from perflint.frontend.source.host.execution.forgetting import Forgetting
from perflint.frontend.source.host.execution.run_state import Alias, Frame, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN
from perflint.frontend.source.host.execution.values import Array, Cells, Record, copied
from perflint.frontend.source.language.declarators import declarator_of, made_of
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NONE: Final = object()
_WORDS = ("storage_class_specifier", "type_qualifier")  #: of a declaration, besides its type
_CONSTANT = {"const", "constexpr"}


class Declaring(Forgetting):
    """Declarations; `Run` has the statements."""

    @contextmanager
    def _scope(self, frame: Frame) -> Iterator[None]:
        """A block: what is declared in it hides what had the name, for as long as it lasts."""
        hidden: dict[str, Any] = {}
        self._hidden.append(hidden)
        kinds = frame.held.kinds if isinstance(frame.held, Cells) else {}
        try:
            yield
        finally:
            self._destroy([frame.held.get(name) for name in reversed(hidden)], frame)
            self._hidden.pop()
            for name, (value, kind) in hidden.items():
                frame.held.pop(name, None)
                kinds.pop(name, None)
                if isinstance(frame.held, Cells):
                    frame.held.constants.discard(name)
                if value is not _NONE:
                    dict.__setitem__(frame.held, name, value)
                    kinds |= {} if kind is None else {name: kind}

    def _declare(self, node: Node, frame: Frame) -> None:
        source = frame.place.file.source
        kind = node.child_by_field_name("type")
        written = source.text_of(kind) if kind is not None else ""
        if kind is not None and kind.child_by_field_name("body") is not None:
            written = self._named(kind, written, frame)
        words = {source.text_of(c) for c in node.children if not c.is_named or c.type in _WORDS}
        for child in node.children_by_field_name("declarator"):
            inner = child
            if child.type == "init_declarator":
                inner = child.child_by_field_name("declarator")  # type: ignore[assignment]
            value = child.child_by_field_name("value")
            if value is None and (given := made_of(node, child)) is not None:
                value, inner = given, inner.child_by_field_name("declarator")  # type: ignore[assignment]
            if value is None and inner.type == "function_declarator":
                continue
            bound = inner
            if inner.type == "reference_declarator" and children_of(inner):
                bound = children_of(inner)[0]
            if bound.type == "structured_binding_declarator":
                self._unpack(bound, self.value(value, frame), frame)
                continue
            name, pointers, reference, extents = declarator_of(inner)
            if name is None:
                continue
            text = source.text_of(name)
            if "static" in words:
                self._keep_static(text, written, pointers, extents, value, node, frame)
                continue
            if reference and value is not None:
                self._hold(text, None, self._alias_of(value, frame), frame)
                continue
            held = self._made(written, pointers, extents, value, frame)
            plain = not pointers and not extents
            kind_ = self._kind(written, frame.place) if plain else None
            constant = plain and isinstance(held, (int, float)) and bool(words & _CONSTANT)
            self._hold(text, kind_, held, frame, constant)

    def _destroy(self, values: Sequence[Any], frame: Frame) -> None:
        """The destructors of objects whose block ends."""
        for value in values:
            if isinstance(value, Record) and value.file is not None:
                name = f"~{value.class_}"
                found = methods(self.project, value.class_, name, 0, value.file)
                if len(found) == 1:
                    self._invoke(found[0], (), frame, value)

    def _named(self, type_: Node, written: str, frame: Frame) -> str:
        """The name of a structure that a declaration itself declares."""
        name = type_.child_by_field_name("name")
        if name is not None:
            return frame.place.file.source.text_of(name)
        if type_.type != "struct_specifier":
            return written
        ours = f"unnamed_{type_.start_byte}"
        self.unnamed[ours] = type_, frame.place
        return ours

    def _hold(self, name: str, kind: Any, value: Any, frame: Frame, constant: bool = False) -> None:
        kinds = frame.held.kinds if isinstance(frame.held, Cells) else {}
        if self._hidden and name not in self._hidden[-1]:
            self._hidden[-1][name] = frame.held.get(name, _NONE), kinds.get(name)
        if isinstance(frame.held, Cells):
            frame.held.declare(name, kind, value, constant)
        else:
            frame.held[name] = value

    def _keep_static(
        self,
        name: str,
        written: str,
        pointers: int,
        extents: Sequence[Node | None],
        value: Node | None,
        node: Node,
        frame: Frame,
    ) -> None:
        key = (str(frame.place.file.path), node.start_byte, name)
        function = frame.place.function
        if function is not None and function.template:  # each of its instances has one
            self._hold(name, None, UNKNOWN, frame)
        elif key not in self.globals:
            held = self._made(written, pointers, extents, value, frame)
            self.globals.declare(key, self._kind(written, frame.place) if not pointers else None,
                                 held)  # fmt: skip
        if key in self.globals:
            self._hold(name, None, Alias(self.globals, key), frame)

    def _unpack(self, names: Node, value: Any, frame: Frame) -> None:
        """`auto [a, b] = …`."""
        while isinstance(value, Reference):
            value = value.get()
        parts: list[Any] = []
        if isinstance(value, Record):
            parts = [value[member] for member in value]
        elif isinstance(value, Array):
            parts = [value[key] for key in value.items_in_order() or ()]
        listed = children_of(names)
        for index, each in enumerate(listed):
            one = copied(parts[index]) if len(parts) == len(listed) else UNKNOWN
            self._hold(frame.place.file.source.text_of(each), None, one, frame)
