"""Results: tracers that ask for them are told what every instruction computes."""

from __future__ import annotations

import numpy as np

from perflint.sim.trace import ResultBatch, Tracing
from tests.sim.kernels import kernel, launch

_BODY = """
    ld.global.u32 %r1, [%mine_in];
    add.s32 %r2, %r1, 5;
    setp.gt.s32 %p1, %r2, 20;
    @%p1 st.global.u32 [%mine_out], %r2;
    @%p1 add.s32 %r2, %r2, 1;
"""


class Results(Tracing):
    """Keeps what it is told, by the name of the instruction."""

    def begin(self, setting: object) -> None:
        self.setting = setting
        self.values: dict[str, list[np.ndarray]] = {}
        self.guards: list[np.ndarray] = []

    def results(self, batch: ResultBatch) -> None:
        name = self.setting.instructions[batch.position].name  # type: ignore[attr-defined]
        if batch.guard is not None:
            self.guards.append(np.array(batch.lanes.array(batch.guard)))
            return
        self.values.setdefault(name, []).append(np.array(batch.lanes.array(batch.values[0])))


def test_every_result_is_told_whatever_is_left_out() -> None:
    data = np.arange(32, dtype=np.uint32)
    for options in ({}, {"slice_only": True}, {"reference": True}):
        seen = Results()
        launch(kernel(_BODY), data, tracers=[seen], **options)
        assert (seen.values["ld.global.u32"][0] == data).all()
        first, guarded = seen.values["add.s32"]
        assert (first == data + 5).all()
        assert (guarded == np.where(data + 5 > 20, data + 6, data + 5)).all()
        assert (seen.values["setp.gt.s32"][0] == (data > 15)).all()
        [taken] = seen.guards  # the test before the store
        assert (taken == (data > 15)).all()


def test_nobody_is_told_where_nobody_asks() -> None:
    data = np.arange(32, dtype=np.uint32)
    plain = launch(kernel(_BODY), data)
    told = launch(kernel(_BODY), data, tracers=[Results()])
    assert plain.warp_instructions == told.warp_instructions
    assert {n: b.tobytes() for n, b in plain.buffers.items()} == {
        n: b.tobytes() for n, b in told.buffers.items()
    }
