"""What names mean: the module's, a function's, and those of the scopes within its body."""

from __future__ import annotations

from collections.abc import Iterable

from perflint.grammar.model import TYPE_SIZE, Operand, Register, Sink, Symbol, Variable
from perflint.grammar.operands import OperandError, dotted, special

_SINK = Sink()


class ModuleScope:
    """Module variables and functions."""

    def __init__(self, functions: Iterable[str]) -> None:
        self.variables: dict[str, Variable] = {}
        self._functions = {name: Symbol(name) for name in functions}

    def find(self, text: str) -> Operand | None:
        if text in self.variables:
            return Symbol(text)
        return self._functions.get(text)

    def name(self, text: str) -> Operand:
        found = _SINK if text == "_" else self.find(text) or special(text)
        if found is None:
            raise OperandError(f"`{text}` is not declared")
        return found

    def element_size(self, symbol: str) -> int:
        return _element_size(self.variables.get(symbol))


class FunctionScope:
    """A function's names. Inner scopes are flattened: what they redeclare gets a name of its own.

    `labels` are those of the body's scopes in the order in which the scopes open, the body first.
    """

    def __init__(self, module: ModuleScope, labels: list[tuple[str, ...]]) -> None:
        self._module = module
        self._scopes: list[dict[str, Operand]] = []
        self._labels = iter(labels)
        self._taken: set[str] = set()
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.labels: dict[str, int] = {}

    def open(self) -> None:
        """Enter a scope; its labels are known from here on."""
        self._scopes.append({})
        for label in next(self._labels):
            self._declare(label, Symbol(self._unique(label)))

    def close(self) -> None:
        self._scopes.pop()

    def _unique(self, name: str) -> str:
        unique, n = name, 1
        while unique in self._taken:
            n += 1
            unique = f"{name}#{n}"
        self._taken.add(unique)
        return unique

    def _declare(self, name: str, operand: Operand) -> None:
        if name in self._scopes[-1]:
            raise OperandError(f"`{name}` is declared twice")
        self._scopes[-1][name] = operand

    def add_register(self, name: str, type_: str) -> None:
        unique = self._unique(name)
        self._declare(name, Register(unique))
        self.registers[unique] = type_

    def add_variable(self, variable: Variable) -> str:
        """Declare a variable and return the name it has in the function."""
        unique = self._unique(variable.name)
        self._declare(variable.name, Symbol(unique))
        self.variables[unique] = variable
        return unique

    def place_label(self, name: str, index: int) -> str:
        """A label stands before instruction `index`."""
        symbol = self._scopes[-1][name]
        assert isinstance(symbol, Symbol)
        self.labels[symbol.name] = index
        return symbol.name

    def _find(self, text: str) -> Operand | None:
        for scope in reversed(self._scopes):
            if (found := scope.get(text)) is not None:
                return found
        return None

    def name(self, text: str) -> Operand:
        found = self._find(text)
        if found is not None:
            return found
        found = _SINK if text == "_" else None
        found = found or dotted(text, self._find) or self._module.find(text) or special(text)
        if found is None:
            what = "register" if text.startswith("%") else "name"
            raise OperandError(f"{what} `{text}` is not declared")
        if text != "_":
            self._scopes[0][text] = found  # found at once the next time
        return found

    def element_size(self, symbol: str) -> int:
        return _element_size(self.variables.get(symbol) or self._module.variables.get(symbol))


def _element_size(variable: Variable | None) -> int:
    return TYPE_SIZE[variable.type] * variable.vector if variable else 1


