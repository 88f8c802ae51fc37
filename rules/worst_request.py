"""The worst request of an access as a report draws it, and where its bytes lie after the advice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.base.evidence import LaneBytes, WorstRequest
from perflint.rules.measure import Measurement
from perflint.rules.names import Names
from perflint.sim.coalescing import SECTOR, sectors
from perflint.sim.memory import ORIGIN

_WORD = 4
_VECTOR = 16  #: bytes of the widest access of one lane

#: Where a request's bytes lie after a change; None where that cannot be said.
Change = Callable[[LaneBytes], LaneBytes | None]


def worst_request(
    names: Names,
    site: AccessSite,
    m: Measurement,
    change: str = "",
    moved: Change | None = None,
    space: str = "global",
) -> WorstRequest:
    """A measurement's witness. `moved` is what `change` makes of its bytes."""
    offsets = m.witness.lanes
    known = [offset for offset in offsets if offset is not None]
    # An address that is itself invented, as small as integers are, is below all regions.
    unknown = min(known, default=0) <= -(ORIGIN // 2)
    if unknown:
        offsets = tuple(None if offset is None else offset + ORIGIN for offset in offsets)
    before = LaneBytes(space, site.size, offsets)
    after = moved(before) if moved is not None and not unknown and known else None
    array = names.array(site)
    return WorstRequest(
        before,
        m.witness.measured,
        m.witness.golden,
        array.strip("`") if array.startswith("`") and not unknown and not m.computed else "",
        after,
        change if after is not None else "",
    )


def packed(request: LaneBytes) -> LaneBytes:
    """The golden execution: the same lanes' bytes one behind the other, from a sector's start."""
    mask, offset = _arrays(request)
    start = int(offset[mask].min()) // SECTOR * SECTOR
    return _moved(request, start + request.size * (np.cumsum(mask) - 1))


def aligned(request: LaneBytes) -> LaneBytes | None:
    """The same request begun at the sector in which it begins; None where that saves nothing."""
    mask, offset = _arrays(request)
    shifted = offset - offset[mask].min() % SECTOR
    before, after = (sectors(mask[None], o[None], request.size)[0] for o in (offset, shifted))
    return _moved(request, shifted) if after < before else None


def whole_elements(step: int) -> Change:
    """Elements of `step` bytes moved whole, by their first vector; None where no vector fits."""

    def change(request: LaneBytes) -> LaneBytes | None:
        width = min(step, _VECTOR)
        mask, offset = _arrays(request)
        into = offset[mask] % step
        begins = offset - into[:1]
        fits = width in (_WORD, 2 * _WORD, _VECTOR) and step % width == 0
        if not fits or (into != into[0]).any() or (begins[mask] % width).any():
            return None
        return _moved(replace(request, size=width), begins)

    return change


def words(request: LaneBytes) -> LaneBytes | None:
    """A word a lane, one behind the other; None where these would not begin at a word."""
    mask, offset = _arrays(request)
    start = int(offset[mask].min())
    if start % _WORD:
        return None
    return _moved(replace(request, size=_WORD), start + _WORD * (np.cumsum(mask) - 1))


def laid_out(layout: Callable[[np.ndarray], np.ndarray], start: int) -> Change:
    """An array in another layout that begins `start` bytes into the window of shared memory."""

    def change(request: LaneBytes) -> LaneBytes | None:
        mask, offset = _arrays(request)
        if (offset[mask] < start).any():
            return None
        return _moved(request, start + layout(offset - start))

    return change


def _arrays(request: LaneBytes) -> tuple[np.ndarray, np.ndarray]:
    """Which lanes take part, (32,) bool, and their offsets, (32,) int64."""
    mask = np.array([offset is not None for offset in request.offsets])
    return mask, np.array([offset or 0 for offset in request.offsets], np.int64)


def _moved(request: LaneBytes, offset: np.ndarray) -> LaneBytes:
    """A request with other offsets of the lanes that take part."""
    pairs = zip(request.offsets, offset.tolist(), strict=True)
    return replace(request, offsets=tuple(None if old is None else new for old, new in pairs))
