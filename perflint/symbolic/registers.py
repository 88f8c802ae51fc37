"""The registers of all threads beside a run: numbers, and expressions where they are symbolic.

Threads that are elsewhere hold what they had: by register and thread stands which expression it
has. Readers whose threads all have the same one have that one.
"""

from __future__ import annotations

import numpy as np

from perflint.symbolic.expressions import Expressions, Node


class Registers:
    """By name: numbers (n,), and where something is symbolic the number of each thread's node."""

    def __init__(self, expressions: Expressions, threads: int) -> None:
        self._e, self._threads = expressions, threads
        self._numbers: dict[str, np.ndarray] = {}
        self._own: set[str] = set()  #: registers whose numbers nobody else holds
        self._which: dict[str, np.ndarray] = {}  #: (n,) int64, 0 for a plain number
        self._nodes: dict[int, Node] = {}

    def symbolic(self, name: str) -> bool:
        """Whether the register has an expression in any thread."""
        return name in self._which

    def numbers(self, name: str) -> np.ndarray | None:
        """What the register holds, (n,), to be read at once; None before anything was told."""
        return self._numbers.get(name)

    def node(self, name: str, slots: np.ndarray) -> Node | None:
        """The expression that some threads hold; None where all hold plain numbers.

        Raises TooDeepError.
        """
        which = self._which.get(name)
        if which is None:
            return None
        mine = which[slots]
        if (mine == mine[0]).all():
            return self._nodes.get(int(mine[0]))
        found, back = np.unique(mine, return_inverse=True)
        symbolic = self._nodes[int(found[-1])]
        ways = [
            self._nodes.get(each) or self._plain(name, symbolic.sort) for each in found.tolist()
        ]
        if any(way.sort != symbolic.sort for way in ways):
            return None
        choice = np.zeros(self._threads, np.int16)
        choice[slots] = back.reshape(-1)
        return self._e.pick(choice, ways)

    def _plain(self, name: str, sort: str) -> Node:
        return self._e.const(bits_of(self._numbers[name], sort).copy(), sort)

    def write(self, name: str, numbers: np.ndarray, slots: np.ndarray, node: Node | None) -> None:
        """Some threads have new values; `numbers` are theirs, in their order."""
        if len(slots) == self._threads:
            self._numbers[name] = np.broadcast_to(numbers, (self._threads,))
            self._own.discard(name)
        else:
            whole = self._numbers.get(name)
            if whole is None:
                whole = np.zeros(self._threads, numbers.dtype)
            elif name not in self._own:
                whole = whole.copy()
            whole[slots] = numbers
            self._numbers[name] = whole
            self._own.add(name)
        which = self._which.get(name)
        if node is None:
            if which is not None:
                which[slots] = 0
                if not which.any():
                    del self._which[name]
            return
        if which is None:
            which = self._which[name] = np.zeros(self._threads, np.int64)
        which[slots] = node.number
        self._nodes[node.number] = node

    def forget(self, name: str) -> None:
        """Nobody knows what the register holds."""
        self._numbers.pop(name, None)
        self._which.pop(name, None)


def bits_of(numbers: np.ndarray, sort: str) -> np.ndarray:
    """Numbers as a register holds them, as a sort wants them: floats, truth values or unsigned."""
    numbers = np.asarray(numbers)
    if sort == "p":
        return numbers.astype(bool)
    kind = np.dtype(("u" if sort[0] == "b" else "f") + str(int(sort[1:]) // 8))
    if numbers.dtype.kind == "b":
        return numbers.astype(kind)
    if numbers.dtype.itemsize == kind.itemsize:
        return np.ascontiguousarray(numbers).view(kind)
    unsigned = np.ascontiguousarray(numbers).view(f"u{numbers.dtype.itemsize}")
    return unsigned.astype(f"u{kind.itemsize}").view(kind)
