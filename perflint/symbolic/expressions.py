"""Symbolic values of all threads at once: one expression where they agree, the lane left free.

A `Node` stands for one value in each of the n threads (slots, 32 a warp). What differs from thread
to thread stands in the leaves, as arrays: constants, and which element of an array is meant.
Threads that came another way hold another expression: `pick` says for each thread which. A value
that went from one thread to another, by a shuffle or through memory, is a `gather` of the giver's.

Sorts are `p` (a truth value), `b8` to `b64` (bits, whose sign is the operation's matter), and `f32`
and `f64`, which are reals: rounding is not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from perflint.base.records import dataclass

#: How deep an expression may grow: a sum over a loop is cut off here, and counted. Conditions that
#: deep are beyond what a solver answers in the time that a question has.
DEEPEST = 192
#: Alternatives of one value among the threads, behind which it is not followed further.
_MOST_WAYS = 64


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A value in each thread. Equal expressions are one object, but for leaves with arrays."""

    number: int  #: those of its parts are lower
    op: str  #: `const`, `element`, `scalar`, `pick`, `gather`, else what `terms` knows
    sort: str
    args: tuple[Node, ...] = ()
    #: const: the value, or one for each thread (n,); element: array's name and index (n,);
    #: scalar: the parameter's name; pick: which of args each thread has (n,); gather: whose (n,);
    #: under: the reason, and what each of the premises, args[1:], is, (n,)
    data: Any = None
    depth: int = 0
    arrays: frozenset[str] = frozenset()  #: whose elements are in it


class TooDeepError(Exception):
    """An expression has outgrown what is worth following."""


class Expressions:
    """Makes nodes, each expression once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Node] = {}
        self.count = 0

    def const(self, value: Any, sort: str) -> Node:
        """A number, or one for each thread (n,)."""
        if np.ndim(value) == 0:
            plain = value.item() if hasattr(value, "item") else value
            return self._once("const", sort, (), (type(plain), repr(plain)), plain)
        return self._new("const", sort, (), value)

    def element(self, array: str, index: np.ndarray, sort: str) -> Node:
        """The initial value of `array[index]`, an index for each thread."""
        return self._new("element", sort, (), (array, index), frozenset([array]))

    def scalar(self, name: str, sort: str) -> Node:
        """A scalar argument."""
        return self._once("scalar", sort, (), (name,), name)

    def op(self, name: str, sort: str, *args: Node) -> Node:
        """An operation. Raises TooDeepError."""
        return self._once(name, sort, args, (), None)

    def pick(self, choice: np.ndarray, ways: Sequence[Node]) -> Node:
        """In each thread one of several values of the same sort. Raises TooDeepError."""
        flat: list[Node] = []
        at: dict[int, int] = {}
        out = np.zeros(len(choice), np.int16)
        for number, way in enumerate(ways):
            mine = choice == number
            if not mine.any():
                continue
            inner = way.args if way.op == "pick" else (way,)
            for k, each in enumerate(inner):
                here = mine & (way.data == k) if way.op == "pick" else mine
                if here.any():
                    out[here] = at.setdefault(each.number, len(flat))
                    if at[each.number] == len(flat):
                        flat.append(each)
        if len(flat) == 1:
            return flat[0]
        if len(flat) > _MOST_WAYS:
            raise TooDeepError
        return self._new("pick", flat[0].sort, tuple(flat), out)

    def gather(self, node: Node, source: np.ndarray) -> Node:
        """In each thread the value that another one has."""
        if node.op == "scalar" or (node.op == "const" and np.ndim(node.data) == 0):
            return node
        if node.op == "const":
            return self.const(node.data[source], node.sort)
        if node.op == "element":
            return self.element(node.data[0], node.data[1][source], node.sort)
        if node.op == "gather":
            return self.gather(node.args[0], node.data[source])
        return self._new("gather", node.sort, (node,), source)

    def under(
        self, value: Node, premises: Sequence[Node], numbers: Sequence[np.ndarray], reason: str
    ) -> Node:
        """A value that the run had while `premises` had these `numbers`, each (n,).

        What is not expressible is concretised so: it stays what it is as long as they do.
        """
        return self._new("under", value.sort, (value, *premises), (reason, tuple(numbers)))

    def _once(
        self, op: str, sort: str, args: tuple[Node, ...], extra: tuple[Any, ...], data: Any
    ) -> Node:
        key = (op, sort, *(a.number for a in args), *extra)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._new(op, sort, args, data)
        return found

    def _new(
        self,
        op: str,
        sort: str,
        args: tuple[Node, ...],
        data: Any,
        arrays: frozenset[str] = frozenset(),
    ) -> Node:
        depth = 1 + max((a.depth for a in args), default=0)
        if depth > DEEPEST:
            raise TooDeepError
        self.count += 1
        return Node(
            self.count, op, sort, args, data, depth, arrays.union(*(a.arrays for a in args))
        )
