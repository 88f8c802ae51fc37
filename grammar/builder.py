"""What is known of a module and of a function while their statements are read, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from perflint.grammar.declarations import Declared, Header
from perflint.grammar.errors import StatementError
from perflint.grammar.locations import Locations
from perflint.grammar.model import (
    TYPE_SIZE,
    Function,
    Instruction,
    Location,
    Module,
    Symbol,
    Variable,
)
from perflint.grammar.scopes import Flattened, Names


class ModuleBuilder:
    """A module so far. `files` and `strings` are the whole module's: uses stand before them."""

    def __init__(self, files: Mapping[int, str], strings: Mapping[str, tuple[bytes, int]]) -> None:
        self.names = Names(None, None)
        self.files = files
        self.locations = Locations(files, strings)
        self.version: tuple[int, int] | None = None
        self.target: tuple[str, ...] = ()
        self.address_size = 32  # where none is written (PTX ISA 11.1.3)
        self.pragmas: tuple[str, ...] = ()
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, Function] = {}
        self._sought: list[tuple[str, int]] = []

    def declare(self, found: Iterable[Declared]) -> None:
        """Module variables. Raises StatementError for one that is defined twice."""
        for each in found:
            variable = each.variable
            if variable.space == "reg":
                raise StatementError("registers are declared in functions", variable.name)
            before = self.variables.get(variable.name)
            if before is not None and "extern" not in (
                before.linkage,
                variable.linkage,
            ):
                raise StatementError(f"`{variable.name}` is declared twice", variable.name)
            if before is None or variable.linkage != "extern":
                self.variables[variable.name] = variable
            self.names.add_variable(variable.name, _element_size(variable))

    def add(self, function: Function) -> None:
        """A function, or its declaration. Raises StatementError for one that is defined twice."""
        before = self.functions.get(function.name)
        if before is None or before.declaration:
            self.functions[function.name] = function
        elif not function.declaration:
            raise StatementError(f"`{function.name}` is defined twice", function.name)
        self.names[function.name] = Symbol(function.name)

    def seek(self, line: int) -> None:
        """Names met since the last call that nobody has declared yet stand after this line."""
        unknown = self.names.unknown
        if unknown:
            self._sought.extend((name, line) for name in unknown)
            unknown.clear()

    def undeclared(self) -> tuple[str, int] | None:
        """A name that is used and never declared, and a line that it stands behind."""
        for name, line in self._sought:
            if name not in self.variables and name not in self.functions:
                return name, line
        return None

    def module(self) -> Module:
        """Raises StatementError where `.target` is missing."""
        assert self.version is not None  # or it would not have been cut into tokens
        if not self.target:
            raise StatementError("a PTX module names its `.target`")
        return Module(
            self.version,
            self.target,
            self.address_size,
            self.files,
            self.variables,
            self.functions,
            self.pragmas,
        )


class FunctionBuilder:
    """A function so far, and the scope that is open in it."""

    def __init__(self, module: ModuleBuilder, header: Header, line: int) -> None:
        self.module = module
        self.header = header
        self.line = line
        self.instructions: list[Instruction] = []
        self.location: Location | None = None
        self.locations = module.locations
        self.locations.begin()
        self.pragmas = header.pragmas
        self.variables: list[Variable] = []
        self.labels: dict[str, int] = {}
        self.branch_targets: dict[str, tuple[str, ...]] = {}
        self._flattened = Flattened()
        self.names = Names(module.names, self._flattened)
        for each in (*header.results, *header.parameters):
            self._declare(each)

    def open(self, labels: Iterable[str]) -> None:
        """Enter a scope that has these labels."""
        self.names = Names(self.names, self._flattened, labels)

    def close(self) -> None:
        """Leave the scope."""
        assert self.names.parent is not None
        self.names = self.names.parent

    def label(self, text: str) -> None:
        """A label stands before the next instruction. Raises StatementError if the scope has it."""
        self.labels[self.names.add_label(text)] = len(self.instructions)

    def take_label(self) -> str | None:
        """The label just before a `.branchtargets` or prototype: no place in the code."""
        if not self.labels:
            return None
        label, index = self.labels.popitem()
        if index != len(self.instructions):
            self.labels[label] = index
            return None
        return label

    def declare(self, found: Iterable[Declared]) -> None:
        """Registers and variables of the scope. Raises StatementError for a name given twice."""
        for each in found:
            variable = self._declare(each)
            if variable is not None:
                self.variables.append(variable)

    def _declare(self, declared: Declared) -> Variable | None:
        variable = declared.variable
        if variable.space == "reg":
            type_ = variable.type if variable.vector == 1 else f"v{variable.vector}.{variable.type}"
            if declared.count is not None:
                self.names.add_range(variable.name, declared.count, type_)
            elif variable.name != "_":
                self.names.add_register(variable.name, type_)
            return None
        if declared.count is not None:
            raise StatementError("only registers are declared in ranges", variable.name)
        unique = self.names.add_variable(variable.name, _element_size(variable))
        return variable if unique == variable.name else _renamed(variable, unique)

    def function(self) -> Function:
        """The function. Raises StatementError for a branch to nowhere; its text is the label."""
        header = self.header
        for each in self.instructions:
            if each.opcode == "bra" and each.operands:
                self._check_target(each)
        return Function(
            header.name,
            header.kind,
            tuple(each.variable for each in header.parameters),
            tuple(each.variable for each in header.results),
            tuple(self.instructions),
            self.labels,
            self._flattened.registers,
            tuple(self.variables),
            self.branch_targets,
            header.directives,
            self.pragmas,
            header.linkage,
            False,
            self.line,
        )

    def _check_target(self, branch: Instruction) -> None:
        target = branch.operands[-1]
        if not isinstance(target, Symbol):
            raise StatementError("a branch leads to a label", branch.name, branch.line)
        # A label of an inner scope may have that name, but it is not in force here.
        if target.name not in self.labels or target.name in self.module.names.unknown:
            written = target.name.partition("#")[0]
            raise StatementError(f"there is no label `{written}`", written, branch.line)


def declaration(header: Header, line: int) -> Function:
    """A function without a body."""
    return Function(
        header.name,
        header.kind,
        tuple(each.variable for each in header.parameters),
        tuple(each.variable for each in header.results),
        (),
        MappingProxyType({}),
        MappingProxyType({}),
        (),
        MappingProxyType({}),
        header.directives,
        header.pragmas,
        header.linkage,
        True,
        line,
    )


def _renamed(variable: Variable, name: str) -> Variable:
    """What dataclasses.replace does, which takes five times as long."""
    return Variable(
        name,
        variable.space,
        variable.type,
        variable.align,
        variable.dimensions,
        variable.vector,
        variable.initialiser,
        variable.linkage,
        variable.pointer,
        variable.pointer_space,
        variable.pointer_align,
    )


def _element_size(variable: Variable) -> int:
    return TYPE_SIZE[variable.type] * variable.vector
