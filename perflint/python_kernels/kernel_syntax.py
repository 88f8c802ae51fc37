"""What the source of a kernel says of its arguments."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

#: Of Triton's functions those whose first argument is an address.
ACCESSES = frozenset(
    {"load", "store", "atomic_add", "atomic_max", "atomic_min", "atomic_cas", "atomic_xchg",
     "atomic_and", "atomic_or", "make_block_ptr", "make_tensor_descriptor"}
)  # fmt: skip
#: What goes through numbers.
_LOOPS = frozenset({"range", "static_range"})
_BITS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
_DEPTH = 64  #: assignments between an access and the parameter that it begins with
_WRAPPERS = 8  #: objects around a kernel, at most


@cache
def tree_of(function: Any) -> ast.FunctionDef | None:
    """The source of a function, by itself."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
        (node,) = ast.parse(text).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def kernel_of(value: Any) -> Any:
    """The function of a kernel, below its tuner, heuristics and what a library puts around them;
    None of what is no kernel.
    """
    for _ in range(_WRAPPERS):
        inner = inner_of(value)
        if inner is None:
            return None
        if _is_tritons(value) and not _is_tritons(inner):
            return inner
        value = inner
    return None


def inner_of(value: Any) -> Any:
    """What an object has as its `fn`: a kernel's tuner the kernel, a kernel its function."""
    return None if isinstance(value, type) else getattr(value, "__dict__", {}).get("fn")


def name_of(function: Any) -> str:
    """How a module names a function: one of a class with the class's name before it."""
    whole: str = function.__qualname__
    return function.__name__ if "<locals>" in whole else whole


def named_in(namespace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a module names, and what its own classes do: `Relu.forward`."""
    for name, value in namespace.items():
        yield name, value
        if isinstance(value, type) and value.__module__ == namespace.get("__name__"):
            for inner in vars(value):
                yield f"{name}.{inner}", getattr(value, inner, None)


def _is_tritons(value: Any) -> bool:
    return type(value).__module__.startswith("triton.runtime")


def gives_a_value(function: Any) -> bool:
    """Whether a function returns something: no kernel does, it is one that kernels call."""
    node = tree_of(function)
    returns = () if node is None else (n for n in ast.walk(node) if isinstance(n, ast.Return))
    return any(each.value is not None for each in returns)


def calls(node: ast.AST) -> Iterator[ast.Call]:
    """All calls in a function."""
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))


@dataclass(frozen=True)
class _Definitions:
    """What a kernel assigns to its variables, by line."""

    parameters: frozenset[str]
    assigned: dict[str, list[tuple[int, ast.expr]]]

    def before(self, name: ast.Name) -> tuple[int, ast.expr] | None:
        """What a variable was assigned last above where it is used; in a loop that may be below."""
        every = self.assigned.get(name.id, [])
        above = [each for each in every if each[0] < name.lineno]
        return above[-1] if above else every[-1] if every else None

    def root(self, node: ast.expr) -> str:
        """The parameter that an address begins with; "" if it begins with none."""
        for _ in range(_DEPTH):
            name = _first(node)
            if name is None:
                return ""
            found = self.before(name)
            if found is None or (name.id in self.parameters and found[0] >= name.lineno):
                return name.id if name.id in self.parameters else ""
            node = found[1]
        return ""


def _definitions(node: ast.FunctionDef) -> _Definitions:
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            found.setdefault(each.targets[0].id, []).append((each.lineno, each.value))
        elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            before = ast.copy_location(ast.Name(each.target.id, ast.Load()), each)
            whole = ast.copy_location(ast.BinOp(before, each.op, each.value), each)
            found.setdefault(each.target.id, []).append((each.lineno, whole))
    for every in found.values():
        every.sort(key=lambda pair: pair[0])
    return _Definitions(frozenset(a.arg for a in node.args.args), found)


@cache
def pointers_of(kernel: Callable[..., Any]) -> frozenset[str]:
    """The arguments of a kernel that are addresses: accesses begin with them."""
    node = tree_of(kernel)
    if node is None:
        return frozenset()
    known = _definitions(node)
    found = {known.root(_address(call)) for call in calls(node) if _accesses(call)}
    return frozenset(found - {""} | {n for n in known.parameters if n.lower().endswith("ptr")})


@cache
def integers_of(kernel: Callable[..., Any]) -> frozenset[str]:
    """The parameters of a kernel that are addresses of integers: what is loaded from them leads to
    other addresses, ends a loop, or is shifted.

    `slot = tl.load(Slots + i)`, `tl.load(X + slot * stride)`: whatever the table is called.
    """
    node = tree_of(kernel)
    if node is None:
        return frozenset()
    known = _definitions(node)
    found, seen = set(), set()
    waiting = [part for each in ast.walk(node) for part in _whole(each)]
    while waiting:
        for part in _parts(waiting.pop()):
            if isinstance(part, ast.Call):
                found.add(known.root(_address(part)))
            elif (meaning := known.before(part)) is not None:
                key = part.id, meaning[0]
                if key not in seen:
                    seen.add(key)
                    waiting.append(meaning[1])
    return frozenset(found - {""})


def _name(call: ast.Call) -> str:
    called = call.func
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _accesses(call: ast.Call) -> bool:
    return _name(call) in ACCESSES and bool(call.args or call.keywords)


def _address(call: ast.Call) -> ast.expr:
    return call.args[0] if call.args else call.keywords[0].value


def _whole(node: ast.AST) -> Iterator[ast.expr]:
    """What of a call says where it accesses memory, or how often a loop turns, and what is shifted
    and masked: integers.
    """
    if isinstance(node, ast.Call) and _name(node) in _LOOPS:
        yield from node.args
    elif isinstance(node, ast.Call) and _accesses(node):
        yield _address(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _BITS):
        yield from (node.left, node.right)


def _parts(node: ast.AST) -> Iterator[ast.Name | ast.Call]:
    """The variables of which a number is made, and the loads in it; not what is compared."""
    if isinstance(node, ast.Name) or (isinstance(node, ast.Call) and _name(node) == "load"):
        yield node
    elif not isinstance(node, ast.Compare):
        for inner in ast.iter_child_nodes(node):
            yield from _parts(inner)


def _first(node: ast.AST) -> ast.Name | None:
    """The variable that a sum begins with."""
    while isinstance(node, (ast.BinOp, ast.Call, ast.Attribute)):
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            node = node.func if isinstance(node.func, ast.Attribute) else ast.Constant(0)
    return node if isinstance(node, ast.Name) else None
