"""The words that modifiers are made of, in all of PTX ISA 9.0 to 9.3.

A modifier that is none of them is a slip (`ld.parm`, `add.s23`), not an instruction that the table
has yet to learn: texts of a later version of PTX are not held against this list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from perflint.grammar import table
from perflint.grammar.model import TYPE_SIZE, Module
from perflint.grammar.modifiers import MODIFIER_TYPES

#: The last version of PTX whose words are all here.
KNOWN_VERSION = (9, 3)

#: By the manual's sections. Of words equally near to a slip the first is suggested.
_WORDS = """
global shared param local const generic entry func cta cluster gpu sys
rn rz rm rp rna rni rzi rmi rpi rs approx full ftz noftz sat satfinite relu NaN xorsign abs oob
lo hi wide cc eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan and or xor not
finite infinite number notanumber normal subnormal l r clamp wrap shiftamt
up down bfly idx f4e b4e rc8 ecl ecr rc16 uni to sync aligned arrive red warp all any ballot popc
weak volatile relaxed acquire release acq_rel sc mmio nc ca cg cs lu cv wb wt unified
L1 L2 evict_normal evict_first evict_last evict_unchanged no_allocate cache_hint 64B 128B 256B
add inc dec min max cas exch vec async bulk tensor prefetch reduce ld_reduce ld st acc
fractional range cvt pack scaled n2 mask mode
commit_group wait_group wait_all wait_read bulk_group read noinc mbarrier complete_tx bytes one
multicast cp_mask ignore_oob tile im2col im2col_no_offs w gather4 scatter4 tensormap tensormaps
replace global_address rank box_dim global_dim global_stride element_stride elemtype
interleave_layout swizzle_mode swizzle_atomicity fill_mode
level grad base cube acube 2dms a2dms width height depth a g b channel_data_type channel_order
normalized_coords force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2
array_size num_mipmap_levels num_samples samples memory_layout texref samplerref surfref
p trap zero texture surface
gl proxy alias mbarrier_init sync_restrict init inval expect_tx arrive_drop test_wait
try_wait parity pending_count noComplete cp_fenceproxy try_cancel query_cancel is_canceled
get_first_ctaid x y z launch_dependents wait
load store mma row col c d sp ordered_metadata kind block_scale scale_vec 1X 2X 4X
f8f6f4 i8 mxf4 mxf4nvf4 mxf8f6f4 trans block16 block32 scale_vectorsize
mma_async fence commit alloc dealloc relinquish_alloc_permit cp shift ws ashift cta_group 1 2
unpack collector fill use discard lastuse b0 b1 b2 b3 a0 a1 before_thread_sync after_thread_sync
16b warpx2 warpx4 01_23 02_13 spcompress
shr7 shr15 po h0 h1 dir cop sem scope
"""

_VOCABULARY = (*TYPE_SIZE, *dict.fromkeys(_WORDS.split()), *MODIFIER_TYPES)
_KNOWN = frozenset(_VOCABULARY)

#: Extents, repetitions and lane layouts: `m16n8k16`, `32x32b`, `16x32bx2`, `x4`, `v2`, `2d`, `a1d`.
_SHAPES = re.compile(r"m\d+n\d+(k\d+)?|\d+x\d+b(x\d+)?|x\d+|v[248]|a?\dd|\d+|[busf]\d+x\d+(_p\d+)?")

#: Families that are still growing: what the table calls new is not spelled out here.
_GROWING = frozenset({"fabric", "spcompress", "spdecompress"})


def unknown_modifier(opcode: str, modifiers: Iterable[str]) -> str | None:
    """The first modifier that is no word of PTX."""
    if opcode in _GROWING:
        return None
    for modifier in modifiers:
        if modifier in _KNOWN:
            continue
        for part in modifier.split("::"):
            if part not in _KNOWN and not _SHAPES.fullmatch(part):
                found = table.find(opcode, ())
                if found is None or part not in found.name.split("."):
                    return modifier
    return None


def slip(module: Module) -> tuple[str, int, str] | None:
    """(full name, line, what is wrong) of the first instruction with a modifier PTX has not."""
    if module.version > KNOWN_VERSION:
        return None
    names = {
        (each.opcode, each.modifiers)
        for function in module.functions.values()
        for each in function.instructions
    }
    wrong = {name: found for name in names if (found := unknown_modifier(*name)) is not None}
    if not wrong:
        return None
    first = min(
        (
            each
            for function in module.functions.values()
            for each in function.instructions
            if (each.opcode, each.modifiers) in wrong
        ),
        key=lambda each: each.line,
    )
    modifier = wrong[first.opcode, first.modifiers]
    message = f"`{first.name}` has the unknown modifier `.{modifier}`"
    near = nearest(modifier)
    return first.name, first.line, message + (f"; did you mean `.{near}`?" if near else "")


def nearest(word: str) -> str | None:
    """The word of PTX that is most like one; None where none is like it."""
    close = [(_distance(word, each), at) for at, each in enumerate(_VOCABULARY)]
    distance, at = min(close)
    return _VOCABULARY[at] if distance <= max(1, len(word) // 3) else None


def _distance(one: str, other: str) -> int:
    """Changed, missing, surplus and exchanged neighbouring letters (Damerau and Levenshtein)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        after = [i]
        for j, b in enumerate(other, 1):
            best = min(row[j] + 1, after[-1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            after.append(best)
        before, row = row, after
    return row[-1]
