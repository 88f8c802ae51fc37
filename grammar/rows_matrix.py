"""Matrix instructions (PTX ISA 9.7.14 to 9.7.16).

A fragment belongs to the warp: how its elements fall on the lanes is not defined for `wmma`, so
these loads and stores have no bytes per lane (0). Of `ldmatrix` and `stmatrix` each lane's address
names one row of eight 16-bit elements, 16 bytes.
"""

# One row, one line: a row is read as in the manual.
# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from perflint.grammar.notation import Row, row

WARP: tuple[Row, ...] = (
    row("wmma.load", "wmma.load.matrix.sync.aligned.layout.shape{.ss}.type d, [p]{, stride}", "9.7.14.4.3", cost="load", loads="p", bytes=0),
    row("wmma.store", "wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride}", "9.7.14.4.4", cost="store", stores="p", bytes=0),
    row("wmma.mma", "wmma.mma{.op}{.popc}.sync.aligned.alayout.blayout.shape{.types}{.rnd}{.satfinite} d, a, b, c", "9.7.14.4.5", cost="matrix"),
    row("mma", "mma{.sp}{.kind}.sync.aligned.shape.row.col.types d, a, b, c{, metadata}{, selector}{, scale-a}{, scale-b}", "9.7.14.5.14 9.7.14.6.3", cost="matrix"),
    row("ldmatrix", "ldmatrix.sync.aligned.shape.num{.trans}{.ss}.type d, [p]", "9.7.14.5.15", cost="load", loads="p", bytes=16),
    row("stmatrix", "stmatrix.sync.aligned.shape.num{.trans}{.ss}.type [p], r", "9.7.14.5.16", cost="store", stores="p", bytes=16),
    row("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 d, a", "9.7.14.5.17", cost="move"),
)

WARPGROUP: tuple[Row, ...] = (
    row("wgmma.mma_async", "wgmma.mma_async{.sp}.sync.aligned.shape.types d, a, b-desc{, sp-meta}{, sp-sel}, scale-d{, imm-scale-a}{, imm-scale-b}{, imm-trans-a}{, imm-trans-b}", "9.7.15.5.2 9.7.15.6.4", cost="matrix", updates=("d",)),
    row("wgmma.fence", "wgmma.fence.sync.aligned", "9.7.15.7.1", cost="fence"),
    row("wgmma.commit_group", "wgmma.commit_group.sync.aligned", "9.7.15.7.2", cost="fence"),
    row("wgmma.wait_group", "wgmma.wait_group.sync.aligned n", "9.7.15.7.3", cost="fence"),
)

#: Tensor memory has addresses of its own: `[taddr]` is none of the state spaces.
TENSOR_CORE_5: tuple[Row, ...] = (
    row("tcgen05.alloc", "tcgen05.alloc.cta_group.sync.aligned{.ss}.b32 [dst], ncols", "9.7.16.7.1", cost="other"),
    row("tcgen05.dealloc", "tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, ncols", "9.7.16.7.1", cost="other"),
    row("tcgen05.relinquish_alloc_permit", "tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", "9.7.16.7.1", cost="other"),
    row("tcgen05.ld", "tcgen05.ld.sync.aligned.shape.num{.pack}.b32 d, [taddr]{, immHalfSplitoff}", "9.7.16.8.3", cost="move"),
    row("tcgen05.ld.red", "tcgen05.ld.red.sync.aligned.shape.num.op{.abs}{.NaN}.type d, d1, [taddr]{, immHalfSplitoff}", "9.7.16.8.3", cost="move"),
    row("tcgen05.ld.spcompress", "tcgen05.ld.spcompress.sync.aligned.shape.num.op.sp{.abs}{.NaN}.type d, d1, [taddr]", "9.7.16.8.3", cost="move"),
    row("tcgen05.ld.red.spcompress", "tcgen05.ld.red.spcompress.sync.aligned.shape.num.op.sp{.abs}{.NaN}.type d, d1, d2, [taddr]", "9.7.16.8.3", cost="move"),
    row("tcgen05.st", "tcgen05.st.sync.aligned.shape.num{.unpack}.b32 [taddr]{, immHalfSplitoff}, r", "9.7.16.8.4", cost="move"),
    row("tcgen05.wait", "tcgen05.wait.kind.sync.aligned", "9.7.16.8.5", cost="fence"),
    row("tcgen05.cp", "tcgen05.cp.cta_group.shape{.multicast}{.fmt} [taddr], s-desc", "9.7.16.9.2", cost="copy"),
    row("tcgen05.shift", "tcgen05.shift.cta_group.down [taddr]", "9.7.16.9.3", cost="move"),
    row("tcgen05.mma", "tcgen05.mma{.ws}{.sp}.cta_group.kind [d-tmem], a, b-desc{, [sp-meta]}, idesc{, [scale-A]}{, [scale-B]}{, disable-output-lane}, enable-input-d{, scale-input-d}", "9.7.16.10.9", cost="matrix"),
    row("tcgen05.commit", "tcgen05.commit.cta_group.completion{.ss}{.multicast}.b64 [mbar]{, ctaMask}", "9.7.16.12.1", cost="fence"),
    row("tcgen05.fence", "tcgen05.fence.when", "9.7.16.11.1", cost="fence"),
)

ROWS: tuple[Row, ...] = (*WARP, *WARPGROUP, *TENSOR_CORE_5)
