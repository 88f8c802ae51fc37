"""Kernels in Python source: found with `ast`, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.source.language.model import Subscript

#: Triton's accesses whose first argument is the address (triton.language, "Memory/Pointer Ops").
_LOADS = frozenset({"load", "load_tensor_descriptor"})
_STORES = frozenset({"store", "store_tensor_descriptor"})
#: What makes a block pointer or a descriptor of its first argument, or moves one.
_POINTERS = frozenset(
    {"make_block_ptr", "make_tensor_descriptor", "advance", "multiple_of", "max_contiguous",
     "max_constancy", "broadcast_to", "expand_dims"}
)  # fmt: skip


@dataclass(frozen=True)
class PythonFunction:
    """A function of a Python file, as far as kernels need it."""

    name: str
    line: int  #: of `def`
    span: Span
    name_span: Span
    parameters: tuple[str, ...]
    constants: frozenset[str]  #: parameters that are `tl.constexpr`
    subscripts: tuple[Subscript, ...]
    #: parameters of which Triton makes no constant where a 1 is passed; None if that is not known
    unspecialised: frozenset[str] | None = frozenset()


def functions(path: Path, text: str) -> tuple[PythonFunction, ...]:
    """All functions of a file; () for text that is no Python, or nested beyond reason."""
    try:
        tree = ast.parse(text)
        lines = text.splitlines()
        found = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        return tuple(_function(path, node, lines) for node in found)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _function(path: Path, node: ast.FunctionDef, lines: list[str]) -> PythonFunction:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = tuple(a.arg for a in arguments)
    constants = frozenset(
        a.arg
        for a in arguments
        if a.annotation is not None and ast.unparse(a.annotation).strip("'\"").endswith("constexpr")
    )
    start = node.col_offset + len("def ")
    name_span = _characters(path, lines, node.lineno, start, node.lineno, start + len(node.name))
    walker = _Accesses(path, lines, node, frozenset(names))
    return PythonFunction(
        name=node.name,
        line=node.lineno,
        span=span_of(path, lines, node),
        name_span=name_span,
        parameters=names,
        constants=constants,
        subscripts=tuple(walker.found()),
        unspecialised=_unspecialised(node, names),
    )


def _unspecialised(node: ast.FunctionDef, names: tuple[str, ...]) -> frozenset[str] | None:
    """The parameters in `@triton.jit(do_not_specialize=["n", 3])`, by name or by number.

    None where what is written there is no list of these, or is taken from elsewhere.
    """
    found: set[str] = set()
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        if not ast.unparse(decorator.func).endswith("jit"):
            continue
        for keyword in decorator.keywords:
            if keyword.arg is None:
                return None
            if keyword.arg != "do_not_specialize":
                continue
            try:
                listed = ast.literal_eval(keyword.value)
                found |= {each if isinstance(each, str) else names[each] for each in listed or ()}
            except (ValueError, TypeError, IndexError):
                return None
    return frozenset(found)


class _Accesses:
    """The places of one function that read or write arrays."""

    def __init__(
        self, path: Path, lines: list[str], node: ast.FunctionDef, parameters: frozenset[str]
    ) -> None:
        self.path, self.lines, self.node, self.parameters = path, lines, node, parameters
        self.values = _assigned(node)

    def found(self) -> Iterator[Subscript]:
        updated = {id(n.target) for n in ast.walk(self.node) if isinstance(n, ast.AugAssign)}
        for node in ast.walk(self.node):
            if isinstance(node, ast.Call):
                yield from self._call(node)
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                array = node.value.id
                store = isinstance(node.ctx, ast.Store)
                load = not store or id(node) in updated
                yield self._subscript(node, array, self._root(node.value), store, load, False)

    def _call(self, node: ast.Call) -> Iterator[Subscript]:
        """`tl.load(p)`, `p.load(…)` of a descriptor, `tl.atomic_add(p, v)`, Numba's atomics."""
        if not isinstance(node.func, ast.Attribute):
            return
        name, base = node.func.attr, node.func.value
        atomic = name.startswith("atomic_") or ast.unparse(base).endswith("atomic")
        if not (atomic or name in _LOADS or name in _STORES):
            return
        owner = self._root(base)
        pointer = base if owner else (node.args[0] if node.args else None)
        if pointer is None:
            return
        root = owner or self._root(pointer)
        array = root or _first_name(pointer)
        if array:
            load, store = name in _LOADS, name in _STORES
            yield self._subscript(node, array, root, store, load, atomic)

    def _subscript(
        self, node: ast.expr, array: str, root: str | None, store: bool, load: bool, atomic: bool
    ) -> Subscript:
        span = span_of(self.path, self.lines, node)
        name = self.node.name
        return Subscript(root or array, ast.unparse(node), span, store, load, atomic, name, root)

    def _root(self, node: ast.expr | None) -> str | None:
        """The parameter that a pointer is computed from, as far as that is plain."""
        return _Chain(self.parameters, self.values).root(node)


class _Chain:
    """The names that one pointer was computed from: each is followed once."""

    def __init__(self, parameters: frozenset[str], values: Mapping[str, list[ast.expr]]) -> None:
        self.parameters, self.values = parameters, values
        self.seen: set[str] = set()

    def root(self, node: ast.expr | None) -> str | None:
        """The parameter, or None."""
        match node:
            case ast.Name(id=name) if name in self.parameters:
                return name
            case ast.Name(id=name) if name not in self.seen:
                self.seen.add(name)
                roots = map(self.root, self.values.get(name, ()))
                return next((root for root in roots if root), None)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                return self.root(left) or self.root(right)
            case ast.Subscript(value=value):
                return self.root(value)
            case ast.Call(func=ast.Attribute(attr=attribute, value=value), args=arguments):
                if attribute == "to":
                    return self.root(value)
                based = [k.value for k in node.keywords if k.arg == "base"]
                first = next(iter([*based, *arguments]), None)
                return self.root(first) if attribute in _POINTERS else None
        return None


def _assigned(node: ast.FunctionDef) -> Mapping[str, list[ast.expr]]:
    """What the function's local names are set to."""
    values: dict[str, list[ast.expr]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(each.value)
    return values


def _first_name(node: ast.expr) -> str | None:
    return next((n.id for n in ast.walk(node) if isinstance(n, ast.Name)), None)


def span_of(path: Path, lines: list[str], node: ast.stmt | ast.expr) -> Span:
    """Where a node of a file with these lines stands."""
    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset + 1
    return _characters(path, lines, node.lineno, node.col_offset, last, end)


def _characters(
    path: Path, lines: list[str], line: int, column: int, end_line: int, end_column: int
) -> Span:
    """A span of ast's UTF-8 columns from 0 in code points from 1."""

    def code_points(number: int, offset: int) -> int:
        text = lines[number - 1] if number <= len(lines) else ""
        return len(text.encode()[:offset].decode(errors="replace")) + 1

    return Span(path, line, code_points(line, column), end_line, code_points(end_line, end_column))
