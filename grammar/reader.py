"""From PTX text to a Module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from perflint.grammar.declarations import Header, header, strings, variables
from perflint.grammar.errors import PtxSyntaxError
from perflint.grammar.locations import Locations, debug_strings
from perflint.grammar.model import Function, Instruction, Location, Module, Symbol, Variable
from perflint.grammar.operands import OperandError
from perflint.grammar.pieces import Piece, pieces
from perflint.grammar.scopes import FunctionScope, ModuleScope
from perflint.grammar.statements import from_tree, shape_of
from perflint.grammar.syntax import Text

_T = TypeVar("_T")
_DECLARES = frozenset({"SPACE", "LINKAGE", "ALIGN", "ATTRIBUTE", "TYPE"})


def parse(text: str, path: str = "<ptx>", *, cache: bool = True) -> Module:
    """Read a PTX module.

    `path` is named in errors. Without `cache` every statement is parsed by the grammar; with it,
    each shape of statement once (the results are equal, and tested to be).

    Raises PtxSyntaxError, and nothing else, for a text that is not a PTX module.
    """
    tokens = Text(text, path)
    try:
        return _Reader(tokens, cache).module()
    except RecursionError:
        raise PtxSyntaxError(path, 1, 1, "an expression is nested too deeply") from None


class _Reader:
    """The state of reading one module."""

    def __init__(self, text: Text, cache: bool) -> None:
        self.text, self.cache = text, cache
        self.pieces = list(pieces(text))
        self.scope = ModuleScope(self._function_names())
        self.files: dict[int, str] = {}
        self.functions: dict[str, Function] = {}
        self.version = (0, 0)
        self.target: tuple[str, ...] = ()
        self.address_size = 64
        self.pragmas: tuple[str, ...] = ()

    def _function_names(self) -> list[str]:
        names = []
        for piece in self.pieces:
            if piece.kind == "header":
                kinds, depth = self.text.kinds, 0
                for i in range(piece.first, piece.end):
                    depth += (kinds[i] == "LPAR") - (kinds[i] == "RPAR")
                    if kinds[i] == "NAME" and depth == 0:
                        names.append(self.text.values[i])
                        break
        return names

    def at(self, piece: Piece, function: Callable[[], _T], offset: int = 0) -> _T:
        """`function()`, an OperandError in it pointing into the piece."""
        try:
            return function()
        except OperandError as error:
            token = piece.first if error.token is None else offset + error.token
            raise self.text.error_at(token, str(error)) from None

    def module(self) -> Module:
        values = self.text.values
        for piece in self.pieces:  # `.file` and `.debug_str` serve what stands before them
            if values[piece.first] == ".file" and piece.kind in ("item", "statement"):
                start = "item" if piece.kind == "item" else "statement"
                self.text.tree(start, piece.first, piece.end)
                number = int(values[piece.first + 1].rstrip("uU"), 0)
                self.files[number] = values[piece.first + 2][1:-1]
        sections = [
            (p.first, p.end)
            for p in self.pieces
            if p.kind == "item" and values[p.first] == ".section" and p.end - p.first > 3
        ]
        self.strings = debug_strings(self.text, sections)
        i = 0
        while i < len(self.pieces):
            piece = self.pieces[i]
            if piece.kind == "header":
                i = self._function(i)
            else:
                self._item(piece)
                i += 1
        if not self.version[0]:
            raise self.text.error("a PTX module begins with `.version`", 0, ("`.version`",))
        return Module(
            version=self.version,
            target=self.target,
            address_size=self.address_size,
            files=self.files,
            variables=self.scope.variables,
            functions=self.functions,
            pragmas=self.pragmas,
        )

    # --- module scope

    def _item(self, piece: Piece) -> None:
        text = self.text
        first = text.values[piece.first]
        if piece.kind == "location" or first in (".file", ";"):
            return
        if first == ".section":
            text.tree("item", piece.first, piece.end)
            return
        tree = text.tree("item", piece.first, piece.end)
        words = [str(node) for node in tree.children]
        if tree.data == "version":
            major, _, minor = words[1].partition(".")
            self.version = (int(major), int(minor)) if major.isdigit() else (0, 0)
        elif tree.data == "target":
            self.target = tuple(words[1:])
        elif tree.data == "address_size":
            self.address_size = int(words[1])
        elif tree.data == "pragma":
            self.pragmas += strings(tree)
        elif tree.data == "variable":
            for variable in self.at(
                piece, lambda: tuple(variables(tree, text, self.scope))
            ):
                self.scope.variables[variable.name] = variable

    # --- functions

    def _function(self, at: int) -> int:
        """Read the function whose header is piece `at`; returns the piece behind it."""
        piece = self.pieces[at]
        end = piece.end
        declared = self.text.kinds[end - 1] == "SEMICOLON"
        tree = self.text.tree("header", piece.first, end - declared)
        found = self.at(piece, lambda: header(tree, self.text, self.scope))
        if declared:
            if found.name not in self.functions:
                self.functions[found.name] = _declaration(found, self.text.line(piece.first))
            return at + 1
        close = self._body_end(at + 1)
        body = _Body(self, found, self.pieces[at + 1 : close + 1])
        self.functions[found.name] = body.read(piece, self.text.line(piece.first))
        return close + 1

    def _body_end(self, at: int) -> int:
        depth = 0
        for i in range(at, len(self.pieces)):
            depth += (self.pieces[i].kind == "open") - (self.pieces[i].kind == "close")
            if depth == 0:
                return i
        raise AssertionError("pieces() saw to it that braces match")


def _declaration(found: Header, line: int) -> Function:
    return Function(
        name=found.name,
        kind=found.kind,  # type: ignore[arg-type]
        parameters=found.parameters,
        results=found.results,
        instructions=(),
        labels={},
        registers={},
        variables=(),
        branch_targets={},
        directives=found.directives,
        pragmas=found.pragmas,
        linkage=found.linkage,
        declaration=True,
        line=line,
    )


def _labels_by_scope(values: Sequence[str], body: Iterable[Piece]) -> list[tuple[str, ...]]:
    """The labels of each scope, in the order in which the scopes open."""
    found: list[list[str]] = []
    open_: list[int] = []
    for piece in body:
        if piece.kind == "open":
            open_.append(len(found))
            found.append([])
        elif piece.kind == "close":
            open_.pop()
        elif piece.kind == "label":
            found[open_[-1]].append(values[piece.first])
    return [tuple(names) for names in found]


class _Body:
    """The state of reading one function's body."""

    def __init__(self, reader: _Reader, found: Header, body: Sequence[Piece]) -> None:
        self.reader, self.header, self.body = reader, found, body
        self.text = reader.text
        self.scope = FunctionScope(reader.scope, _labels_by_scope(self.text.values, body))
        self.locations = Locations(reader.files, reader.strings)
        self.location: Location | None = None
        self.instructions: list[Instruction] = []
        self.branches: list[tuple[int, Symbol]] = []  #: token and target of each direct branch
        self.targets: dict[str, tuple[str, ...]] = {}
        self.pragmas = found.pragmas
        self.label: str | None = None  #: the label just before the statement

    def read(self, piece: Piece, line: int) -> Function:
        own = frozenset(v.name for v in (*self.header.parameters, *self.header.results))
        for i, each in enumerate(self.body):
            self.reader.at(each, lambda each=each: self._piece(each), each.first)  # type: ignore[misc]
            if i == 0:
                for variable in (*self.header.parameters, *self.header.results):
                    self.reader.at(piece, lambda v=variable: self.scope.add_variable(v))  # type: ignore[misc]
        for token, symbol in self.branches:
            if symbol.name not in self.scope.labels and symbol.name not in self.targets:
                raise self.text.error_at(token, f"label `{symbol.name}` is nowhere")
        return replace(
            _declaration(self.header, line),
            instructions=tuple(self.instructions),
            labels=self.scope.labels,
            registers=self.scope.registers,
            variables=tuple(v for n, v in self.scope.variables.items() if n not in own),
            branch_targets=self.targets,
            pragmas=self.pragmas,
            declaration=False,
        )

    def _piece(self, piece: Piece) -> None:
        kind, label = piece.kind, self.label
        self.label = None
        if kind == "open":
            self.scope.open()
        elif kind == "close":
            self.scope.close()
        elif kind == "label":
            name = self.text.values[piece.first]
            self.label = self.scope.place_label(name, len(self.instructions))
        elif kind == "location":
            self.text.tree("statement", piece.first, piece.end) if not self.reader.cache else None
            self._location(piece)
        elif self.text.kinds[piece.first] in ("NAME", "DOTTED", "AT", "CALL"):
            self._instruction(piece)
        else:
            self._directive(piece, label)

    def _location(self, piece: Piece) -> None:
        if [self.text.kinds[i] for i in range(piece.first + 1, min(piece.first + 4, piece.end))] != [
            "INTEGER"
        ] * 3:
            self.text.tree("statement", piece.first, piece.end)  # says what is wrong
        try:
            self.location = self.locations.read(self.text, piece.first, piece.end)
        except (ValueError, IndexError):
            self.text.tree("statement", piece.first, piece.end)
            raise self.text.error_at(piece.first, "this `.loc` cannot be read") from None

    def _instruction(self, piece: Piece) -> None:
        first, end = piece.first, piece.end
        shape = shape_of(self.text, first, end, cache=self.reader.cache)
        values = self.text.values[first:end]
        made = shape.make(
            values, self.scope, len(self.instructions), self.text.line(first), self.location
        )
        if made.opcode == "bra" and made.operands and isinstance(made.operands[-1], Symbol):
            self.branches.append((end - 2, made.operands[-1]))
        self.instructions.append(made)

    def _directive(self, piece: Piece, label: str | None) -> None:
        tree = self.text.tree("statement", piece.first, piece.end)
        data: Any = tree.data
        if data == "variable":
            self._variable(tree, piece)
        elif data == "pragma":
            self.pragmas += strings(tree)
        elif data == "targets":
            self._targets(tree, label)
        elif data == "prototype" and label is not None:
            self.scope.labels.pop(label, None)  # it names a prototype, not a place in the code
        elif data in ("instruction", "call"):
            raise AssertionError(from_tree(tree, self.text, piece.first))

    def _targets(self, tree: Any, label: str | None) -> None:
        names = [self.scope.name(str(n)) for n in tree.children[1:]]
        if label is not None:
            self.scope.labels.pop(label, None)
            self.targets[label] = tuple(n.name for n in names if isinstance(n, Symbol))

    def _variable(self, tree: Any, piece: Piece) -> None:
        try:
            for variable in variables(tree, self.text, self.scope):
                if variable.space == "reg":
                    self.scope.add_register(variable.name, variable.type)
                else:
                    self._declare(variable)
        except OperandError as error:
            token = piece.first if error.token is None else error.token
            raise self.text.error_at(token, str(error)) from None

    def _declare(self, variable: Variable) -> None:
        unique = self.scope.add_variable(variable)
        if unique != variable.name:
            self.scope.variables[unique] = replace(variable, name=unique)
