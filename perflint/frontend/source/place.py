"""What the readers of single constructs ask of the place that they read at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from perflint.frontend.source.c_types import CType, Value
from perflint.frontend.source.choices import Session
from perflint.frontend.source.declarators import Parameter
from perflint.frontend.source.definitions import Definition
from perflint.frontend.source.files import File
from perflint.frontend.source.lookup import Names
from perflint.frontend.source.reaching import Body


class Place(Names, Protocol):
    """The names in sight at a byte offset of a file; `environment.Environment` is one."""

    session: Session
    file: File
    at: int

    @property
    def outer(self) -> Place | None: ...

    @property
    def place(self) -> tuple[str, ...]: ...

    def moved(self, at: int) -> Place: ...

    def elsewhere(self, file: File, at: int, bound: Mapping[str, Value] | None = None) -> Place: ...

    def body(self) -> Body | None: ...

    def reaching(self, name: str, member: str | None = None) -> Definition | None: ...

    def definition_text(self, definition: Definition) -> str: ...

    def is_aggregate(self, name: str) -> bool: ...

    def declared_type(self, name: str) -> str: ...

    def identity(self, name: str) -> object: ...

    def parameter_type(self, parameter: Parameter) -> CType | None: ...
