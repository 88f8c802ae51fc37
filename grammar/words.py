"""The modifiers that each row of the instruction table takes, from its notation.

`fma.rnd{.ftz}{.sat}{.relu}.type` takes `.ftz`, `.sat` and `.relu`, and what `.rnd` and `.type`
stand for: the words below, by the name that the manual gives the place. A place that means another
thing in some rows is listed with the row's name before it (`mul.mode`). A word that ends in `::`
stands for all that begin with it. In which order modifiers stand is not looked at (nor by ptxas).
"""

from __future__ import annotations

import re

from perflint.base.records import dataclass
from perflint.grammar.modifiers import MODIFIER_TYPES

_INTEGER = "u16 u32 u64 s16 s32 s64"
_WORD = "u32 u64 s32 s64"
_SMALL_FLOATS = "f16 f16x2 bf16 bf16x2"
_FLOAT = f"f32 f64 {_SMALL_FLOATS} f32x2"
_BITS = "b16 b32 b64"
_ROUNDING = "rn rz rm rp"
_SPACES = "const global local param param::entry param::func shared shared::cta shared::cluster"
_SEM = "weak volatile relaxed acquire release acq_rel sc mmio"
_SCOPE = "cta cluster gpu sys"
_EVICTION = "L1:: L2::"
_OP = "add min max inc dec and or xor cas exch noftz"
_BULK = "mbarrier:: bulk_group cp_mask ignore_oob multicast:: cta_group:: L2::"
_TILES = "tile tile:: im2col im2col:: im2col_no_offs im2col_no_offs::"
_GEOMETRY = "1d 2d 3d a1d a2d cube acube 2dms a2dms"
_QUERIES = """width height depth channel_data_type channel_order normalized_coords samples
force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size
num_mipmap_levels num_samples memory_layout"""
_COMPARISON = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
_PROXY = """alias async async:: generic tensormap:: global shared::cta shared::cluster
sync_restrict::"""

#: Extents: `m16n8k16`, `32x32b`, `16x32bx2`; and how often: `x4`.
_SHAPE = r"/m\d+n\d+(k\d+)?|\d+x\d+b(x\d+)?"
_NUMBER = r"/x\d+"

#: Places of the notation, and the words that may stand there. `*`: every type; a pattern begins
#: with `/`.
PLACES: dict[str, str] = {
    # types
    "type": "*", "dtype": "*", "stype": "*", "atype": "*", "btype": "*", "ctype": "*",
    "types": "*", "convertType": "*", "abType": "*", "cType": "*", "size": "u32 u64",
    **{f"{row}.type": f"{_INTEGER} {_FLOAT} s16x2 u16x2" for row in ("add", "sub", "min", "max")},
    "mul.type": f"{_INTEGER} {_FLOAT}",
    "mad.type": f"{_INTEGER} f32 f64",
    "fma.type": _FLOAT,
    **{f"{row}.type": f"s16 s32 s64 f32 f64 {_SMALL_FLOATS}" for row in ("abs", "neg")},
    **{f"{row}.type": "u32 s32" for row in ("mul24", "mad24", "szext")},
    **{f"{row}.type": _INTEGER for row in ("sad", "rem")},
    "div.type": f"{_INTEGER} f32 f64",
    **{f"{row}.type": "b32 b64" for row in ("popc", "clz", "brev", "bfi", "match")},
    **{f"{row}.type": _WORD for row in ("bfind", "bfe", "add.cc", "addc", "sub.cc", "subc",
                                        "madc")},
    **{f"{row}.type": "f32 f64" for row in ("testp", "copysign", "rcp", "sqrt", "rsqrt")},
    **{f"{row}.type": f"f32 {_SMALL_FLOATS}" for row in ("ex2", "tanh")},
    **{f"{row}.type": f"{_BITS} pred" for row in ("and", "or", "xor", "not")},
    **{f"{row}.type": _BITS for row in ("cnot", "shl")},
    "shr.type": f"{_BITS} {_INTEGER}",
    **dict.fromkeys(
        ("set.dtype", "set.stype", "setp.type", "selp.type", "slct.dtype", "slct.stype"),
        f"{_BITS} {_INTEGER} f32 f64 {_SMALL_FLOATS}"),
    **{f"dp{n}a.{side}": "u32 s32" for n in (2, 4) for side in ("atype", "btype")},
    "vote.type": "pred b32", "redux.type": "u32 s32 b32 f32",
    **{f"{row}.type": "pred u32" for row in ("bar.red", "bar.cta.red", "barrier.red",
                                             "barrier.cta.red")},
    "istypep.type": "texref samplerref surfref",
    # arithmetic
    "rnd": _ROUNDING,
    "div.rnd": f"{_ROUNDING} approx full",
    "cvt.rnd": f"{_ROUNDING} rna rs rni rzi rmi rpi satfinite scaled::",
    "mode": "lo hi wide", "dp2a.mode": "lo hi",
    **{f"{row}.mode": "clamp wrap" for row in ("szext", "bmsk", "shf", "vshl", "vshr")},
    "CmpOp": _COMPARISON, "BoolOp": "and or xor", "cmp": "eq ne lt le gt ge lo ls hi hs",
    "testp.op": "finite infinite number notanumber normal subnormal",
    "dir": "l r", "op2": "add min max", "scale": "po shr7 shr15",
    # data movement
    "shfl.mode": "up down bfly idx", "prmt.mode": "f4e b4e rc8 ecl ecr rc16",
    "sem": _SEM, "scope": _SCOPE, "ss": _SPACES, "space": _SPACES, "vec": "v2 v4 v8",
    "cop": f"ca cg cs lu cv wb wt {_EVICTION}", "nc": "nc", "hint": _EVICTION,
    "ld.nc": "nc unified", "level": f"L1 L2 {_EVICTION} tensormap", "L2": "L2 L2::",
    "shared": "shared shared::cta shared::cluster", "shared::cta": "shared shared::cta",
    "L2::primary": "L2::", "L2::secondary": "L2::", "level::eviction_priority": "L2::",
    "atom.vec": f"v2 v4 v8 {_EVICTION}", "red.vec": f"v2 v4 v8 {_EVICTION}",
    "completion": _BULK, "multicast": "multicast:: warpx2:: warpx4", "acc": "acc::",
    "dst": "shared::cta shared::cluster shared global",
    "src": "shared::cta shared::cluster shared global",
    "dim": "1d 2d 3d 4d 5d",
    **{f"{row}.mode": f"{_TILES} {_BULK}" for row in (
        "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor")},
    "field": """global_address rank box_dim global_dim global_stride element_stride elemtype
    interleave_layout swizzle_mode swizzle_atomicity fill_mode""",
    "tensormap.replace.mode": "tile",
    # textures and surfaces
    "mip": "base level grad", "geom": _GEOMETRY, "comp": "r g b a", "query": _QUERIES,
    "txq.level": "level",
    "clamp": "trap clamp zero", "suld.b": "b p", "sust.b": "b p", "sured.b": "b p",
    # synchronisation
    "op": _OP,
    **{f"{row}.op": "popc and or" for row in ("bar.red", "bar.cta.red", "barrier.red",
                                             "barrier.cta.red")},
    "membar.level": "cta gl sys", "kind": _PROXY, "restrict": "sync_restrict::",
    "action": "launch_dependents wait", "setmaxnreg.action": "inc dec",
    "vote.mode": "all any uni ballot", "match.mode": "all any",
    "fence": f"{_SEM} {_SCOPE} tensormap::",
    "clusterlaunchcontrol.query_cancel.query": "is_canceled get_first_ctaid get_first_ctaid::",
    # matrices
    "shape": _SHAPE, "num": _NUMBER, "matrix": "a b c", "layout": "row col", "alayout": "row col",
    "blayout": "row col", "trans": "trans", "wmma.mma.op": "xor and", "sp": "sp sp::",
    "mma.kind": "kind:: block_scale scale_vec::", "mma.types": "* satfinite xor and popc",
    "wgmma.mma_async.types": "* satfinite xor and popc",
    "cta_group": "cta_group::", "pack": "pack::", "unpack": "unpack::",
    "tcgen05.wait.kind": "ld st", "fmt": "*",
    "tcgen05.mma.kind": """kind:: block_scale scale_vec:: scale_vectorsize:: block16 block32
    collector:: ashift ws sp""",
    "when": "before_thread_sync after_thread_sync",
}  # fmt: skip

#: Families that are still growing: their modifiers are not looked at.
GROWING = frozenset({"fabric", "spcompress", "spdecompress"})

_PART = re.compile(r"\{?\.([\w:]+(?:\.[\w:]+)*)\}?")


@dataclass(frozen=True, slots=True)
class Words:
    """The modifiers that a row takes."""

    words: frozenset[str]
    prefixes: tuple[str, ...]  #: `L2::`: all words that begin so
    pattern: re.Pattern[str] | None  #: extents and numbers
    typed: bool  #: whether one of them must be a type

    def take(self, modifier: str) -> bool:
        """Whether a modifier is one of them."""
        return (
            modifier in self.words
            or modifier.startswith(self.prefixes)
            or (self.pattern is not None and self.pattern.fullmatch(modifier) is not None)
        )


def words_of(name: str, notation: str) -> Words:
    """What a row takes behind its opcode, the rest of its name included."""
    opcode, *own = name.split(".")
    words, prefixes, patterns = set(own), {f"{word}::" for word in own}, []
    typed = False
    for part in _PART.finditer(notation.partition(" ")[0].removeprefix(opcode)):
        for place in part[1].split("."):
            stand = PLACES.get(f"{name}.{place}", PLACES.get(place, place)).split()
            if "*" in stand:
                stand = [*stand, *MODIFIER_TYPES]
            patterns += [word[1:] for word in stand if word[0] == "/"]
            prefixes |= {word for word in stand if word.endswith("::")}
            words |= set(stand)
            typed = typed or (part[0][0] != "{" and not MODIFIER_TYPES.isdisjoint(stand))
    pattern = re.compile("|".join(patterns)) if patterns else None
    return Words(frozenset(words), tuple(prefixes), pattern, typed)
