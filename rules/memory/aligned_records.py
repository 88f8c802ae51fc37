"""The edit that lets one access move a whole structure: `struct __align__(8) pair`.

Only where the structure is defined in CUDA's own source, which no C compiler reads, and where its
size stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.constructs import RecordSource
from perflint.rules.access_shapes import VECTOR, WORD, Shape, type_words
from perflint.rules.protocol import Edit, Kernel

_CUDA = (".cu", ".cuh")


def align_edits(kernel: Kernel, shape: Shape) -> tuple[Edit, ...]:
    """The edit of the structure that a group's accesses move whole; none where that is not known.

    Every launch must pass what an allocation returned: its beginning is aligned.
    """
    site = shape.group[0]
    words = type_words(kernel, site)
    if not words or not shape.whole or shape.step not in (WORD, 2 * WORD, VECTOR):
        return ()
    if not kernel.is_allocated(site.array.parameter):
        return ()
    everything = list(_records(kernel))
    found = [record for record in everything if words[-1] in record.names]
    if len(found) != 1 or found[0].aligned or found[0].span.path.suffix not in _CUDA:
        return ()
    [record] = found
    if any(record.names & other.words for other in everything if other is not record):
        return ()  # what it is a part of would get another layout
    keyword = record.keyword
    at = keyword.behind
    return (Edit(at, f" __align__({shape.step})"),)


def _records(kernel: Kernel) -> Iterator[RecordSource]:
    """The structures of the files that define and that launch a kernel."""
    if kernel.function is None:
        return
    paths = [kernel.function.span.path, *(x.span.path for x in kernel.launches if x.span)]
    for path in dict.fromkeys(map(str, paths)):
        constructs = kernel.constructs(path)
        yield from constructs.records if constructs is not None else ()
