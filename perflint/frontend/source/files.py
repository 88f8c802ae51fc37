"""One parsed file of a program, with what it declares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from perflint.frontend.source.declarations import Declarations, Function, declarations_of
from perflint.frontend.source.definitions import Definition, declared
from perflint.frontend.source.macros import Macro
from perflint.frontend.source.preprocessor import Preprocessed
from perflint.frontend.source.reaching import Body, body_of
from perflint.frontend.source.trees import Source, source_of


class File:
    """One parsed file with what it declares."""

    def __init__(self, unit: Preprocessed) -> None:
        self.unit = unit
        self.path = unit.path
        self.family: list[File] = [self]  #: the files compiled with it: its includes, its includer

    @cached_property
    def source(self) -> Source:
        return source_of(self.unit)

    @cached_property
    def declarations(self) -> Declarations:
        return declarations_of(self.source)

    @property
    def end(self) -> int:
        return len(self.source.bytes)

    def body(self, function: Function) -> Body:
        """A function's local definitions."""
        return body_of(function)

    def macros_at(self, offset: int) -> Mapping[str, Macro]:
        """The macros that hold at a byte offset."""
        return self.unit.macros_at(self.source.line_at(offset))

    @cached_property
    def variables(self) -> dict[str, list[Definition]]:
        """Variables at file, namespace and class scope."""
        result: dict[str, list[Definition]] = defaultdict(list)
        for node in (*self.declarations.globals, *self.declarations.members):
            for definition in declared(self.source, node, self.end):
                if definition.declares:
                    result[definition.name].append(definition)
        return result
