"""Control flow, synchronisation, atomics and the rest (PTX ISA 9.7.12, 9.7.13, 9.7.19)."""

# One row, one line: a row is read as in the manual.
# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from perflint.grammar.notation import Row, row

CONTROL: tuple[Row, ...] = (
    row("bra", "bra{.uni} target", "9.7.12.3", cost="control", control="branch"),
    row("brx.idx", "brx.idx{.uni} index, target", "9.7.12.4", cost="control", control="indirect-branch"),
    row("call", "call{.uni} (d), target, (a), prototype", "9.7.12.5", cost="control", control="call"),
    row("ret", "ret{.uni}", "9.7.12.6", cost="control", control="return"),
    row("exit", "exit", "9.7.12.7", cost="control", control="exit"),
    row("trap", "trap", "9.7.19.4", cost="control", control="trap"),
    row("brkpt", "brkpt", "9.7.19.1", cost="control"),
)

#: A lane that arrives goes on: only `.sync` and `.red` make it wait for the block.
BARRIER: tuple[Row, ...] = (
    row("bar.sync", "bar.sync a{, b}", "9.7.13.1", cost="barrier", control="barrier"),
    row("bar.arrive", "bar.arrive a, b", "9.7.13.1", cost="barrier"),
    row("bar.red", "bar.red.op.type d, a{, b}, {!}c", "9.7.13.1", cost="barrier", control="barrier"),
    row("bar.cta.sync", "bar.cta.sync a{, b}", "9.7.13.1", cost="barrier", control="barrier"),
    row("bar.cta.arrive", "bar.cta.arrive a, b", "9.7.13.1", cost="barrier"),
    row("bar.cta.red", "bar.cta.red.op.type d, a{, b}, {!}c", "9.7.13.1", cost="barrier", control="barrier"),
    row("barrier.sync", "barrier.sync{.aligned} a{, b}", "9.7.13.1", cost="barrier", control="barrier"),
    row("barrier.arrive", "barrier.arrive{.aligned} a, b", "9.7.13.1", cost="barrier"),
    row("barrier.red", "barrier.red.op{.aligned}.type d, a{, b}, {!}c", "9.7.13.1", cost="barrier", control="barrier"),
    row("barrier.cta.sync", "barrier.cta.sync{.aligned} a{, b}", "9.7.13.1", cost="barrier", control="barrier"),
    row("barrier.cta.arrive", "barrier.cta.arrive{.aligned} a, b", "9.7.13.1", cost="barrier"),
    row("barrier.cta.red", "barrier.cta.red.op{.aligned}.type d, a{, b}, {!}c", "9.7.13.1", cost="barrier", control="barrier"),
    row("bar.warp.sync", "bar.warp.sync membermask", "9.7.13.2", cost="barrier"),
    row("barrier.cluster.arrive", "barrier.cluster.arrive{.sem}{.aligned}", "9.7.13.3", cost="barrier"),
    row("barrier.cluster.wait", "barrier.cluster.wait{.acquire}{.aligned}", "9.7.13.3", cost="barrier"),
    row("membar", "membar.level", "9.7.13.4", cost="fence"),
    row("membar.proxy", "membar.proxy.kind", "9.7.13.4", cost="fence"),
    row("fence", "fence{.sem}{.restrict}.scope", "9.7.13.4", cost="fence"),
    row("fence.proxy", "fence.proxy.kind{.sem}{.scope} {[addr]}{, size}", "9.7.13.4", cost="fence"),
    row("fence.mbarrier_init", "fence.mbarrier_init.release.cluster", "9.7.13.4", cost="fence"),
    row("griddepcontrol", "griddepcontrol.action", "9.7.13.13", cost="fence"),
)

ATOMIC_AND_VOTE: tuple[Row, ...] = (
    row("atom", "atom{.sem}{.scope}{.ss}.op{.vec}.type d, [a]{, b}{, c}{, cache-policy}", "9.7.13.5", cost="atomic", atomic="a"),
    row("red", "red{.sem}{.scope}{.ss}.op{.vec}.type [a], b{, cache-policy}", "9.7.13.6", cost="atomic", atomic="a"),
    row("red.async", "red.async{.sem}{.scope}{.ss}{.completion}.op.type [a], b{, [mbar]}", "9.7.13.7", cost="atomic", atomic="a"),
    row("vote", "vote{.sync}.mode.type d, {!}a{, membermask}", "9.7.13.8 9.7.13.9", cost="vote"),
    row("match", "match.mode.sync.type d{|p}, a, membermask", "9.7.13.10", cost="vote"),
    row("activemask", "activemask.b32 d", "9.7.13.11", cost="vote"),
    row("redux", "redux.sync.op{.abs}{.NaN}.type d, a, membermask", "9.7.13.12", cost="vote"),
    row("elect", "elect.sync d|p, membermask", "9.7.13.14", cost="vote"),
)

#: An mbarrier object is shared memory, but no data: these rows name no access.
MBARRIER: tuple[Row, ...] = (
    row("mbarrier.init", "mbarrier.init{.ss}.b64 [addr], count", "9.7.13.15.9", cost="fence"),
    row("mbarrier.inval", "mbarrier.inval{.ss}.b64 [addr]", "9.7.13.15.10", cost="fence"),
    row("mbarrier.expect_tx", "mbarrier.expect_tx{.sem}{.scope}{.ss}.b64 [addr], tx-count", "9.7.13.15.11", cost="fence"),
    row("mbarrier.complete_tx", "mbarrier.complete_tx{.sem}{.scope}{.ss}.b64 [addr], tx-count", "9.7.13.15.12", cost="fence"),
    row("mbarrier.arrive", "mbarrier.arrive{.expect_tx}{.noComplete}{.sem}{.scope}{.ss}.b64 d, [addr]{, count}", "9.7.13.15.13", cost="fence"),
    row("mbarrier.arrive_drop", "mbarrier.arrive_drop{.expect_tx}{.noComplete}{.sem}{.scope}{.ss}.b64 d, [addr]{, count}", "9.7.13.15.14", cost="fence"),
    row("mbarrier.test_wait", "mbarrier.test_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [addr], state", "9.7.13.15.16", cost="fence"),
    row("mbarrier.try_wait", "mbarrier.try_wait{.parity}{.sem}{.scope}{.ss}.b64 p, [addr], state{, suspendTimeHint}", "9.7.13.15.16", cost="fence"),
    row("mbarrier.pending_count", "mbarrier.pending_count.b64 d, state", "9.7.13.15.17", cost="fence"),
    row("tensormap.cp_fenceproxy", "tensormap.cp_fenceproxy.dst.src.fence.sync.aligned [dst], [src], size", "9.7.13.15.18", cost="fence"),
    row("clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.try_cancel.async{.space}.completion{.multicast}.b128 [addr], [mbar]", "9.7.13.16", cost="fence"),
    row("clusterlaunchcontrol.query_cancel", "clusterlaunchcontrol.query_cancel.query{.vec}.type d, response", "9.7.13.17", cost="fence"),
)

MISCELLANEOUS: tuple[Row, ...] = (
    row("nanosleep", "nanosleep.u32 t", "9.7.19.2", cost="other"),
    row("pmevent", "pmevent{.mask} a", "9.7.19.3", cost="other"),
    row("setmaxnreg", "setmaxnreg.action.sync.aligned.u32 imm", "9.7.19.5", cost="other"),
)

ROWS: tuple[Row, ...] = (*CONTROL, *BARRIER, *ATOMIC_AND_VOTE, *MBARRIER, *MISCELLANEOUS)
