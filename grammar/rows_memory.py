"""Data movement, texture, surface and stack instructions (PTX ISA 9.7.9 to 9.7.11, 9.7.17).

In `loads="src:2"` the number picks the space among the modifiers: `cp.async.bulk` writes the first
of its two spaces and reads the second.
"""

# One row, one line: a row is read as in the manual.
# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from perflint.grammar.notation import Row, row

MOVE: tuple[Row, ...] = (
    row("mov", "mov{.vec}.type d, a", "9.7.9.3 9.7.9.4", cost="move"),
    row("shfl", "shfl{.sync}.mode.b32 d{|p}, a, b, c{, membermask}", "9.7.9.5 9.7.9.6", cost="shuffle"),
    row("prmt", "prmt.b32{.mode} d, a, b, c", "9.7.9.7", cost="logic"),
    row("createpolicy.fractional", "createpolicy.fractional.L2::primary{.L2::secondary}.b64 d{, fraction}", "9.7.9.18", cost="move"),
    row("createpolicy.range", "createpolicy.range{.global}.L2::primary{.L2::secondary}.b64 d, [a], primary-size, total-size", "9.7.9.18", cost="move"),
    row("createpolicy.cvt", "createpolicy.cvt.L2.b64 d, cache-property", "9.7.9.18", cost="move"),
    row("isspacep", "isspacep.space p, a", "9.7.9.19", cost="move"),
    row("cvta", "cvta{.to}.space.size d, a", "9.7.9.20", cost="move"),
    row("cvt", "cvt{.rnd}{.relu}{.ftz}{.sat}.dtype.atype d, a{, b}{, rbits}{, scale}", "9.7.9.21", cost="conversion"),
    row("cvt.pack", "cvt.pack.sat.convertType.abType{.cType} d, a, b{, c}", "9.7.9.22", cost="conversion"),
    row("mapa", "mapa{.space}.type d, a, b", "9.7.9.23", cost="move"),
    row("getctarank", "getctarank{.space}.type d, a", "9.7.9.24", cost="move"),
)

LOAD_AND_STORE: tuple[Row, ...] = (
    row("ld", "ld{.sem}{.scope}{.ss}{.cop}{.nc}{.vec}.type d, [a]{, unified}{, cache-policy}", "9.7.9.8 9.7.9.9", cost="load", loads="a"),
    row("ldu", "ldu{.ss}{.vec}.type d, [a]", "9.7.9.10", cost="load", loads="a"),
    row("st", "st{.sem}{.scope}{.ss}{.cop}{.vec}.type [a], b{, cache-policy}", "9.7.9.11", cost="store", stores="a"),
    row("st.async", "st.async{.sem}{.scope}{.ss}{.completion}{.vec}.type [a], b{, [mbar]}", "9.7.9.12", cost="store", stores="a"),
    row("st.bulk", "st.bulk{.weak}{.shared::cta} [a], size, initval", "9.7.9.13", cost="store", stores="a", bytes="size"),
    row("multimem.ld_reduce", "multimem.ld_reduce{.sem}{.scope}{.global}.op{.acc}{.vec}.type d, [a]", "9.7.9.14", cost="load", loads="a"),
    row("multimem.st", "multimem.st{.sem}{.scope}{.global}{.vec}.type [a], b", "9.7.9.14", cost="store", stores="a"),
    row("multimem.red", "multimem.red{.sem}{.scope}{.global}.op{.vec}.type [a], b", "9.7.9.14", cost="atomic", atomic="a"),
    row("multimem.cp.async.bulk", "multimem.cp.async.bulk.dst.src.completion [a], [b], size{, byteMask}", "9.7.9.25.4.4", cost="copy", loads="b:shared", stores="a:global", bytes=0),
    row("multimem.cp.reduce.async.bulk", "multimem.cp.reduce.async.bulk.dst.src.completion.op.type [a], [b], size", "9.7.9.25.4.5", cost="copy", loads="b:shared", atomic="a:global", bytes=0),
    row("prefetch", "prefetch{.space}.level [a]", "9.7.9.15", cost="other"),
    row("prefetchu", "prefetchu.L1 [a]", "9.7.9.15", cost="other"),
    row("applypriority", "applypriority{.global}.level::eviction_priority [a], size", "9.7.9.16", cost="other"),
    row("discard", "discard{.global}.level [a], size", "9.7.9.17", cost="other"),
)

#: `cp.async` is two accesses of each lane; the bulk and tensor copies are made by one lane for all.
ASYNC_COPY: tuple[Row, ...] = (
    row("cp.async", "cp.async.cop.shared.global{.hint} [dst], [src], cp-size{, src-size}{, cache-policy}", "9.7.9.25.3.1", cost="copy", loads="src:global", stores="dst:shared", bytes="cp-size"),
    row("cp.async.commit_group", "cp.async.commit_group", "9.7.9.25.3.2", cost="fence"),
    row("cp.async.wait_group", "cp.async.wait_group n", "9.7.9.25.3.3", cost="fence"),
    row("cp.async.wait_all", "cp.async.wait_all", "9.7.9.25.3.3", cost="fence"),
    row("cp.async.mbarrier.arrive", "cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [addr]", "9.7.13.15.15", cost="fence"),
    row("cp.async.bulk", "cp.async.bulk.dst.src.completion{.multicast}{.hint} [dst], [src], size{, [mbar]}{, ctaMask}{, cache-policy}", "9.7.9.25.4.1", cost="copy", loads="src:2", stores="dst:1", bytes=0),
    row("cp.reduce.async.bulk", "cp.reduce.async.bulk.dst.src.completion.op.type [dst], [src], size{, [mbar]}", "9.7.9.25.4.2", cost="copy", loads="src:2", atomic="dst:1", bytes=0),
    row("cp.async.bulk.prefetch", "cp.async.bulk.prefetch.L2.src{.hint} [src], size{, cache-policy}", "9.7.9.25.4.3", cost="other"),
    row("cp.async.bulk.tensor", "cp.async.bulk.tensor.dim.dst.src{.mode}.completion [dst], [src]{, [mbar]}{, im2colInfo}{, ctaMask}{, cache-policy}", "9.7.9.25.5.2", cost="copy"),
    row("cp.reduce.async.bulk.tensor", "cp.reduce.async.bulk.tensor.dim.dst.src.op{.mode}.completion [tensor], [src]{, cache-policy}", "9.7.9.25.5.3", cost="copy"),
    row("cp.async.bulk.prefetch.tensor", "cp.async.bulk.prefetch.tensor.dim.L2.src{.mode} [tensor]{, im2colInfo}{, cache-policy}", "9.7.9.25.5.4", cost="other"),
    row("cp.async.bulk.commit_group", "cp.async.bulk.commit_group", "9.7.9.25.6.1", cost="fence"),
    row("cp.async.bulk.wait_group", "cp.async.bulk.wait_group{.read} n", "9.7.9.25.6.2", cost="fence"),
    row("tensormap.replace", "tensormap.replace.mode.field{.ss}.b1024.type [addr], new_val{, ord}", "9.7.9.26", cost="other"),
)

TEXTURE_AND_SURFACE: tuple[Row, ...] = (
    row("tex", "tex{.mip}.geom.vec.dtype.ctype d{|p}, [a, {sampler,} c]{, lod}{, dPdx}{, dPdy}{, e}{, f}", "9.7.10.3", cost="texture"),
    row("tld4", "tld4.comp.geom.v4.dtype.f32 d{|p}, [a, {sampler,} c]{, e}{, f}", "9.7.10.4", cost="texture"),
    row("txq", "txq{.level}.query.b32 d, [a]{, lod}", "9.7.10.5", cost="texture"),
    row("istypep", "istypep.type p, a", "9.7.10.6", cost="texture"),
    row("suld", "suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, b]", "9.7.11.1", cost="surface"),
    row("sust", "sust.b.geom{.cop}{.vec}.ctype.clamp [a, b], c", "9.7.11.2", cost="surface"),
    row("sured", "sured.b.op.geom.ctype.clamp [a, b], c", "9.7.11.3", cost="surface"),
    row("suq", "suq.query.b32 d, [a]", "9.7.11.4", cost="surface"),
)

#: New in PTX ISA 9.3, by whose sections they are numbered: remote memory of a fabric, which is no
#: state space, and the packing of sparse operands.
FABRIC: tuple[Row, ...] = (
    row("fabric.try_get", "fabric.try_get{.async}.dst.completion.sem.scope.type [dst], [endpoint, offset], size{, [mbar]}", "9.7.11.5.1", cost="copy"),
    row("fabric.try_put", "fabric.try_put{.async}.src.completion.sem.scope.type [endpoint, offset], [src], size{, [mbar]}", "9.7.11.5.2", cost="copy"),
    row("fabric.try_red", "fabric.try_red{.async}.src.completion.sem.scope.op.type [endpoint, offset], [src], size{, [mbar]}", "9.7.11.5.3", cost="copy"),
    row("fabric.try_pullred", "fabric.try_pullred{.async}.dst.completion.sem.scope.op.type [dst], [endpoint, offset], size{, [mbar]}{, membermask}", "9.7.11.5.4", cost="copy"),
    row("fabric.submit", "fabric.submit{.restrict}", "9.7.11.5.5", cost="fence"),
    row("fabric.wait", "fabric.wait{.restrict}", "9.7.11.5.6", cost="fence"),
    row("spcompress", "spcompress.type.index.sp.num d, d1, a, spdesc", "9.7.10.30", cost="other"),
    row("spdecompress", "spdecompress.type.index.sp.num d, a, metadata", "9.7.10.31", cost="other"),
)

STACK: tuple[Row, ...] = (
    row("stacksave", "stacksave.type d", "9.7.17.1", cost="move"),
    row("stackrestore", "stackrestore.type a", "9.7.17.2", cost="move"),
    row("alloca", "alloca.type d, size{, align}", "9.7.17.3", cost="move"),
)

ROWS: tuple[Row, ...] = (*MOVE, *LOAD_AND_STORE, *ASYNC_COPY, *TEXTURE_AND_SURFACE, *FABRIC, *STACK)
