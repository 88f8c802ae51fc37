"""Tree PLRU: a binary tree over the ways of a set, each node of which points to its older half."""

from __future__ import annotations

from functools import cache

import numpy as np

from perflint.base.records import dataclass


@dataclass(frozen=True, eq=False)
class Tree:
    """The nodes on the way to each leaf. Any number of ways: the left half is the larger one.

    A node's bit is set where the right half is the older one.
    """

    ways: int
    nodes: int
    paths: tuple[
        tuple[tuple[int, bool], ...], ...
    ]  #: by way: (node, whether the way is left of it)
    children: tuple[tuple[int, int], ...]  #: by node: left and right, a node, or ~way

    @classmethod
    @cache
    def of(cls, ways: int) -> Tree:
        paths: list[tuple[tuple[int, bool], ...]] = [()] * ways
        children: list[tuple[int, int]] = []

        def grow(low: int, high: int, path: tuple[tuple[int, bool], ...]) -> int:
            if high - low == 1:
                paths[low] = path
                return ~low
            node, middle = len(children), (low + high + 1) // 2
            children.append((0, 0))
            left = grow(low, middle, (*path, (node, True)))
            children[node] = (left, grow(middle, high, (*path, (node, False))))
            return node

        grow(0, ways, ())
        return cls(ways, max(1, len(children)), tuple(paths), tuple(children))

    # --- one set: its bits as an integer ---------------------------------------------------------

    @property
    def masks(self) -> tuple[int, ...]:
        """By way: the bits that its use sets or clears."""
        return _masks(self)[0]

    @property
    def values(self) -> tuple[int, ...]:
        """By way: what these bits become, pointing away from it."""
        return _masks(self)[1]

    def victim(self, bits: int) -> int:
        """The way that the bits point to."""
        node = 0 if self.children else ~0
        while node >= 0:
            node = self.children[node][bits >> node & 1]
        return ~node

    # --- many sets: their bits as an array (sets, nodes) -----------------------------------------

    def use(self, bits: np.ndarray, row: np.ndarray, way: np.ndarray) -> None:
        """Point the nodes above some sets' ways away from these."""
        nodes, left = _path_arrays(self)
        for level in range(nodes.shape[1]):
            node = nodes[way, level]
            real = node >= 0
            bits[row[real], node[real]] = left[way[real], level]

    def victims(self, bits: np.ndarray, row: np.ndarray) -> np.ndarray:
        """The ways that some sets' bits point to."""
        if not self.children:
            return np.zeros(len(row), np.int64)
        down = np.array(self.children, np.int64)
        node = np.zeros(len(row), np.int64)
        for _ in range(_path_arrays(self)[0].shape[1]):
            inner = node >= 0
            here = node[inner]
            node[inner] = down[here, bits[row[inner], here].astype(np.int64)]
        return ~node


@cache
def _masks(tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    masks = tuple(sum(1 << node for node, _ in path) for path in tree.paths)
    values = tuple(sum(1 << node for node, left in path if left) for path in tree.paths)
    return masks, values


@cache
def _path_arrays(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """(ways, depth): the nodes above each way, -1 for none, and whether the way is left of them."""
    depth = max(len(path) for path in tree.paths)
    nodes, left = np.full((tree.ways, depth), -1, np.int64), np.zeros((tree.ways, depth), bool)
    for way, path in enumerate(tree.paths):
        for level, (node, is_left) in enumerate(path):
            nodes[way, level], left[way, level] = node, is_left
    return nodes, left
