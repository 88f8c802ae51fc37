"""Arithmetic, comparison, logic, shift and video instructions (PTX ISA 9.7.1 to 9.7.8, 9.7.18)."""

# One row, one line: a row is read as in the manual.
# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from perflint.grammar.notation import Row, row

INTEGER_AND_FLOAT: tuple[Row, ...] = (
    row("add", "add{.rnd}{.ftz}{.sat}.type d, a, b", "9.7.1.1 9.7.3.3 9.7.4.1 9.7.5.1", cost="arithmetic"),
    row("sub", "sub{.rnd}{.ftz}{.sat}.type d, a, b", "9.7.1.2 9.7.3.4 9.7.4.2 9.7.5.2", cost="arithmetic"),
    row("mul", "mul{.mode}{.rnd}{.ftz}{.sat}.type d, a, b", "9.7.1.3 9.7.3.5 9.7.4.3", cost="arithmetic"),
    row("mad", "mad{.mode}{.cc}{.rnd}{.ftz}{.sat}.type d, a, b, c", "9.7.1.4 9.7.3.7", cost="arithmetic"),
    row("mul24", "mul24.mode.type d, a, b", "9.7.1.5", cost="integer"),
    row("mad24", "mad24.mode{.sat}.type d, a, b, c", "9.7.1.6", cost="integer"),
    row("sad", "sad.type d, a, b, c", "9.7.1.7", cost="integer"),
    row("div", "div{.rnd}{.ftz}.type d, a, b", "9.7.1.8 9.7.3.8", cost="division"),
    row("rem", "rem.type d, a, b", "9.7.1.9", cost="division"),
    row("abs", "abs{.ftz}.type d, a", "9.7.1.10 9.7.3.9 9.7.4.6", cost="arithmetic"),
    row("neg", "neg{.ftz}.type d, a", "9.7.1.11 9.7.3.10 9.7.4.5", cost="arithmetic"),
    row("min", "min{.ftz}{.NaN}{.xorsign.abs}{.relu}.type d, a, b{, c}", "9.7.1.12 9.7.3.11 9.7.4.7", cost="arithmetic"),
    row("max", "max{.ftz}{.NaN}{.xorsign.abs}{.relu}.type d, a, b{, c}", "9.7.1.13 9.7.3.12 9.7.4.8", cost="arithmetic"),
    row("popc", "popc.type d, a", "9.7.1.14", cost="integer"),
    row("clz", "clz.type d, a", "9.7.1.15", cost="integer"),
    row("bfind", "bfind{.shiftamt}.type d, a", "9.7.1.16", cost="integer"),
    row("fns", "fns.b32 d, mask, base, offset", "9.7.1.17", cost="integer"),
    row("brev", "brev.type d, a", "9.7.1.18", cost="integer"),
    row("bfe", "bfe.type d, a, b, c", "9.7.1.19", cost="integer"),
    row("bfi", "bfi.type d, a, b, c, e", "9.7.1.20", cost="integer"),
    row("szext", "szext.mode.type d, a, b", "9.7.1.21", cost="integer"),
    row("bmsk", "bmsk.mode.b32 d, a, b", "9.7.1.22", cost="integer"),
    row("dp4a", "dp4a.atype.btype d, a, b, c", "9.7.1.23", cost="integer"),
    row("dp2a", "dp2a.mode.atype.btype d, a, b, c", "9.7.1.24", cost="integer"),
)

#: The carry bit CC.CF is no register of the program: see `table.carry`.
EXTENDED_PRECISION: tuple[Row, ...] = (
    row("add.cc", "add.cc.type d, a, b", "9.7.2.1", cost="integer"),
    row("addc", "addc{.cc}.type d, a, b", "9.7.2.2", cost="integer"),
    row("sub.cc", "sub.cc.type d, a, b", "9.7.2.3", cost="integer"),
    row("subc", "subc{.cc}.type d, a, b", "9.7.2.4", cost="integer"),
    row("madc", "madc{.mode}{.cc}.type d, a, b, c", "9.7.2.6", cost="integer"),
)

FLOAT: tuple[Row, ...] = (
    row("testp", "testp.op.type p, a", "9.7.3.1", cost="compare"),
    row("copysign", "copysign.type d, a, b", "9.7.3.2", cost="arithmetic"),
    row("fma", "fma.rnd{.ftz}{.sat}{.relu}{.oob}.type d, a, b, c", "9.7.3.6 9.7.4.4 9.7.5.3", cost="arithmetic"),
    row("rcp", "rcp{.approx}{.rnd}{.ftz}.type d, a", "9.7.3.13 9.7.3.14", cost="special"),
    row("sqrt", "sqrt{.approx}{.rnd}{.ftz}.type d, a", "9.7.3.15", cost="special"),
    row("rsqrt", "rsqrt.approx{.ftz}.type d, a", "9.7.3.16 9.7.3.17", cost="special"),
    row("sin", "sin.approx{.ftz}.f32 d, a", "9.7.3.18", cost="special"),
    row("cos", "cos.approx{.ftz}.f32 d, a", "9.7.3.19", cost="special"),
    row("lg2", "lg2.approx{.ftz}.f32 d, a", "9.7.3.20", cost="special"),
    row("ex2", "ex2.approx{.ftz}.type d, a", "9.7.3.21 9.7.4.10", cost="special"),
    row("tanh", "tanh.approx.type d, a", "9.7.3.22 9.7.4.9", cost="special"),
)

COMPARE: tuple[Row, ...] = (
    row("set", "set.CmpOp{.BoolOp}{.ftz}.dtype.stype d, a, b{, {!}c}", "9.7.6.1 9.7.7.1", cost="compare"),
    row("setp", "setp.CmpOp{.BoolOp}{.ftz}.type p{|q}, a, b{, {!}c}", "9.7.6.2 9.7.7.2", cost="compare"),
    row("selp", "selp.type d, a, b, c", "9.7.6.3", cost="compare"),
    row("slct", "slct{.ftz}.dtype.stype d, a, b, c", "9.7.6.4", cost="compare"),
)

LOGIC: tuple[Row, ...] = (
    row("and", "and.type d, a, b", "9.7.8.1", cost="logic"),
    row("or", "or.type d, a, b", "9.7.8.2", cost="logic"),
    row("xor", "xor.type d, a, b", "9.7.8.3", cost="logic"),
    row("not", "not.type d, a", "9.7.8.4", cost="logic"),
    row("cnot", "cnot.type d, a", "9.7.8.5", cost="logic"),
    row("lop3", "lop3{.BoolOp}.b32 d{|p}, a, b, c, immLut{, {!}e}", "9.7.8.6", cost="logic"),
    row("shf", "shf.dir.mode.b32 d, a, b, c", "9.7.8.7", cost="logic"),
    row("shl", "shl.type d, a, b", "9.7.8.8", cost="logic"),
    row("shr", "shr.type d, a, b", "9.7.8.9", cost="logic"),
)

VIDEO: tuple[Row, ...] = (
    row("vadd", "vadd.dtype.atype.btype{.sat}{.op2} d, a, b{, c}", "9.7.18.1", cost="video"),
    row("vsub", "vsub.dtype.atype.btype{.sat}{.op2} d, a, b{, c}", "9.7.18.1", cost="video"),
    row("vabsdiff", "vabsdiff.dtype.atype.btype{.sat}{.op2} d, a, b{, c}", "9.7.18.1", cost="video"),
    row("vmin", "vmin.dtype.atype.btype{.sat}{.op2} d, a, b{, c}", "9.7.18.1", cost="video"),
    row("vmax", "vmax.dtype.atype.btype{.sat}{.op2} d, a, b{, c}", "9.7.18.1", cost="video"),
    row("vshl", "vshl.dtype.atype.u32{.sat}.mode{.op2} d, a, b{, c}", "9.7.18.2", cost="video"),
    row("vshr", "vshr.dtype.atype.u32{.sat}.mode{.op2} d, a, b{, c}", "9.7.18.2", cost="video"),
    row("vmad", "vmad.dtype.atype.btype{.sat}{.scale} d, {-}a, {-}b, {-}c", "9.7.18.3", cost="video"),
    row("vset", "vset.atype.btype.cmp{.op2} d, a, b{, c}", "9.7.18.4", cost="video"),
    row("vadd2", "vadd2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vsub2", "vsub2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vavrg2", "vavrg2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vabsdiff2", "vabsdiff2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vmin2", "vmin2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vmax2", "vmax2.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.5", cost="video"),
    row("vset2", "vset2.atype.btype.cmp{.add} d, a, b, c", "9.7.18.6", cost="video"),
    row("vadd4", "vadd4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vsub4", "vsub4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vavrg4", "vavrg4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vabsdiff4", "vabsdiff4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vmin4", "vmin4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vmax4", "vmax4.dtype.atype.btype{.sat}{.add} d, a, b, c", "9.7.18.7", cost="video"),
    row("vset4", "vset4.atype.btype.cmp{.add} d, a, b, c", "9.7.18.8", cost="video"),
)

ROWS: tuple[Row, ...] = (
    *INTEGER_AND_FLOAT,
    *EXTENDED_PRECISION,
    *FLOAT,
    *COMPARE,
    *LOGIC,
    *VIDEO,
)
