"""One request in detail says what `sim` counts of many, on every architecture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from perflint.sim import architecture, banks, coalescing
from perflint.view.one_request import Request, transactions, wavefronts
from tests.view.requests import cases


def request_of(space: str, size: int, mask: np.ndarray, offset: np.ndarray) -> Request:
    lanes = np.flatnonzero(mask)
    return Request(space, size, tuple(lanes.tolist()), tuple(offset[lanes].tolist()))


def test_every_architecture_counts_the_same() -> None:
    for space, size, mask, offset in cases(seed=1, each=25):
        one = request_of(space, size, mask, offset)
        for arch in map(architecture.load, architecture.names()):
            if space == "global":
                found = transactions(one, arch.coalescing_rule)
                said = coalescing.transactions(arch.coalescing_rule, mask[None], offset[None], size)
                assert len(found) == said.count[0], (arch.name, one)
                assert sum(t.length for t in found) == said.bytes[0], (arch.name, one)
                continue
            for kind in ("load", "store"):
                waves = wavefronts(replace(one, kind=kind), arch.shared_rule)
                stores, rule = kind == "store", arch.shared_rule
                measured = banks.wavefronts(mask[None], offset[None], size, rule, stores)
                assert len(waves) == measured.measured[0], (arch.name, kind, one)


def test_every_byte_is_served() -> None:
    """Each lane's bytes come with some transaction, each of its words with some wavefront."""
    for space, size, mask, offset in cases(seed=2, each=10):
        one = request_of(space, size, mask, offset)
        for arch in map(architecture.load, ("sm_10", "sm_13", "sm_20", "sm_30", "sm_80")):
            served: dict[int, set[int]] = {lane: set() for lane in one.lanes}
            if space == "global":
                for t in transactions(one, arch.coalescing_rule):
                    for lane, first, last in t.uses:
                        assert t.start is not None and 0 <= first < last <= t.length
                        served[lane].update(range(t.start + first, t.start + last))
                wanted = {
                    lane: set(range(at, at + size))
                    for lane, at in zip(one.lanes, one.offsets, strict=True)
                }
            else:
                for wave in wavefronts(one, arch.shared_rule):
                    for bank, word, lanes in wave.cells:
                        assert bank == word % (16 if arch.shared_rule == "cc1" else 32)
                        for lane in lanes:
                            served[lane].add(word)
                wanted = {
                    lane: set(range(at // 4, (at + size - 1) // 4 + 1))
                    for lane, at in zip(one.lanes, one.offsets, strict=True)
                }
            assert served == wanted, (arch.name, one)
