"""Which lines of a text are new, held against an older one: in bounded time, whatever the texts.

Lines that stand once in both texts anchor them to each other (patience diff); between two anchors
Myers's algorithm ("An O(ND) difference algorithm", 1986) finds the rest. Where that would take more
steps than it may, all lines between the two anchors count as changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Pair = tuple[int, int]  #: an index of the old text, and the index of the same line in the new one

#: Insertions and deletions between two anchors, beyond which nothing there is matched: the paths
#: kept take memory in its square. A stretch of code in which no line is unique has far fewer.
MOST_EDITS = 500


def changed(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """First and last line, from 1, of each stretch of the new text that the old one has not."""
    kept = {index for _, index in matches(old, new)}
    out: list[tuple[int, int]] = []
    for number in (n for n in range(1, len(new) + 1) if n - 1 not in kept):
        if out and out[-1][1] == number - 1:
            out[-1] = (out[-1][0], number)
        else:
            out.append((number, number))
    return tuple(out)


def matches(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    """The lines that stand in both texts, each matched once; in no order."""
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        yield begin, begin
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
        yield len(old) - end, len(new) - end
    last = (len(old) - end, len(new) - end)
    before = (begin, begin)
    for at in (*_anchors(old, new, before, last), last):
        yield from _between(old, new, before, at)
        if at != last:
            yield at
            before = (at[0] + 1, at[1] + 1)


def _anchors(old: Sequence[str], new: Sequence[str], first: Pair, last: Pair) -> list[Pair]:
    """The longest rising sequence of lines that stand once in each of the two stretches."""
    ours, theirs = old[first[0] : last[0]], new[first[1] : last[1]]
    once = {line for line, count in Counter(ours).items() if count == 1}
    once &= {line for line, count in Counter(theirs).items() if count == 1}
    places = {line: first[1] + n for n, line in enumerate(theirs) if line in once}
    pairs = [(first[0] + n, places[line]) for n, line in enumerate(ours) if line in once]
    ends: list[int] = []  # by length less 1, the least new index that such a sequence ends at
    held: list[int] = []  # the pair it ends with
    before: list[int] = []
    for number, (_, index) in enumerate(pairs):
        length = bisect_left(ends, index)
        ends[length : length + 1] = [index]
        held[length : length + 1] = [number]
        before.append(held[length - 1] if length else -1)
    out, at = [], held[-1] if held else -1
    while at >= 0:
        out.append(pairs[at])
        at = before[at]
    return out[::-1]


def _between(old: Sequence[str], new: Sequence[str], first: Pair, last: Pair) -> Iterator[Pair]:
    """The matches of two stretches by Myers's greedy algorithm; none if they differ too much."""
    a, b = old[first[0] : last[0]], new[first[1] : last[1]]
    if not a or not b:
        return
    reach, kept = {1: 0}, []
    for edits in range(min(MOST_EDITS, len(a) + len(b)) + 1):
        kept.append(dict(reach))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < len(a) and x - k < len(b) and a[x] == b[x - k]:
                x += 1
            reach[k] = x
            if x >= len(a) and x - k >= len(b):
                for i, j in _back(kept, len(a), len(b)):
                    yield first[0] + i, first[1] + j
                return


def _back(kept: Sequence[dict[int, int]], x: int, y: int) -> Iterator[Pair]:
    for edits in range(len(kept) - 1, -1, -1):
        reach, k = kept[edits], x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        before = reach[k + 1] if down else reach[k - 1] + 1
        stop = before if edits else 0
        while x > stop and y > stop - k:
            x, y = x - 1, y - 1
            yield x, y
        if edits:
            x, y = (before, before - (k + 1)) if down else (before - 1, before - 1 - (k - 1))
