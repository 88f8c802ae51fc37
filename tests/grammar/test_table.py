"""The instruction table: complete, in the manual's notation, and right about what is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.grammar import parse, table
from perflint.grammar.model import Address, Instruction, Register, Symbol
from perflint.grammar.notation import row
from perflint.grammar.table import MemoryAccess, UnknownInstructionError
from perflint.grammar.vocabulary import fault
from perflint.grammar.words import GROWING, PLACES

DATA = Path(__file__).parent.parent / "data"

#: The base opcodes of PTX ISA 9, chapter 9.7.
OPCODES = (
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom", "bar",
    "barrier", "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx", "call",
    "clusterlaunchcontrol", "clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt",
    "cvta", "discard", "div", "dp2a", "dp4a", "elect", "ex2", "exit", "fence", "fma", "fns",
    "getctarank", "griddepcontrol", "isspacep", "istypep", "ld", "ldmatrix", "ldu", "lg2",
    "lop3", "mad", "mad24", "madc", "mapa", "match", "max", "mbarrier", "membar", "min", "mma",
    "mov", "movmatrix", "mul", "mul24", "multimem", "nanosleep", "neg", "not", "or", "pmevent",
    "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem", "ret", "rsqrt",
    "sad", "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct",
    "sqrt", "st", "stackrestore", "stacksave", "stmatrix", "sub", "subc", "suld", "suq",
    "sured", "sust", "szext", "tanh", "tcgen05", "tensormap", "testp", "tex", "tld4", "trap",
    "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4",
    "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset", "vset2",
    "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4", "wgmma", "wmma", "xor",
)  # fmt: skip

HEAD = """.version 9.0
.target sm_100a
.address_size 64
.global .b32 g[4];
.entry k(.param .u64 a)
{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .v4 .f32 v;
"""


def one(text: str) -> Instruction:
    (found,) = parse(f"{HEAD}{text}\nL: T: }}").kernels[0].instructions
    return found


def opcode_and_modifiers(name: str) -> tuple[str, list[str]]:
    opcode, *modifiers = name.split(".")
    return opcode, modifiers


def named(opcode: str) -> Instruction:
    name, *modifiers = opcode.split(".")
    return Instruction(name, tuple(modifiers), (), 0, 1)


@pytest.mark.parametrize("opcode", OPCODES)
def test_every_opcode_of_the_isa_has_a_row(opcode: str) -> None:
    assert table.known(opcode)


@pytest.mark.parametrize("compiler", ["nvcc", "nvrtc"])
def test_what_compilers_emit_has_rows(compiler: str) -> None:
    lines = (DATA / f"ptx_opcodes_{compiler}.tsv").read_text(encoding="utf-8").splitlines()
    opcodes = [line.split("\t")[0] for line in lines if not line.startswith("prototype_")]
    assert len(opcodes) > 300
    for opcode in opcodes:
        found = table.row(named(opcode))
        name, modifiers = opcode_and_modifiers(opcode)
        assert fault(name, tuple(modifiers)) is None
        assert opcode.split(".")[0] == found.name.split(".")[0]


def test_the_notation_of_a_row_begins_with_its_name() -> None:
    for name, found in table.ROWS.items():
        mnemonic = found.notation.split(" ")[0]
        assert mnemonic == name or mnemonic.startswith((f"{name}.", f"{name}{{"))
        assert all(part[:3] == "9.7" for part in found.section.split())
        assert {each.operand for each in found.accesses} <= {
            role.name for role in found.operands if role.address
        }


def test_the_words_of_rows_are_of_places_in_their_notation() -> None:
    places = {
        name: set(re.findall(r"[\w:]+", found.notation.partition(" ")[0]))
        for name, found in table.ROWS.items()
    }
    for key in PLACES:
        row_name, _, place = key.rpartition(".")
        if row_name:
            assert place in places[row_name], key
        else:
            assert any(place in each for each in places.values()), key


@pytest.mark.parametrize("name", sorted(table.ROWS))
def test_a_row_takes_its_own_modifiers_only(name: str) -> None:
    found = table.ROWS[name]
    opcode, *own = name.split(".")
    if opcode in GROWING:
        return
    assert all(map(found.words.take, own))
    foreign = {"shared", "lo", "ballot", "row", "rn", "arrive", "v4", "cluster"}
    refused = {word for word in foreign if fault(opcode, (*own, word, "u32")) is not None}
    assert len(refused) >= 3  # an atomic takes the most of them


def test_notation() -> None:
    found = row("x", "x{.m}.type d{|p}, [a, {s,} c]{, {!}b}, e-f{, g}", "9.7", cost="other")
    assert [(r.name, r.written, r.read, r.address, r.optional) for r in found.operands] == [
        ("d", True, False, False, False),
        ("a", False, True, True, False),
        ("b", False, True, False, True),
        ("e-f", False, True, False, False),
        ("g", False, True, False, True),
    ]
    assert found.required == 3


def test_the_longest_name_wins() -> None:
    assert table.row(named("cp.async.bulk.tensor.2d.global")).name == "cp.async.bulk.tensor"
    assert table.row(named("cp.async.cg.shared.global")).name == "cp.async"
    assert table.row(named("bar.warp.sync")).name == "bar.warp.sync"


def test_unknown_instructions_are_named_with_their_line() -> None:
    with pytest.raises(UnknownInstructionError, match=r"line 1: unknown instruction 'ad\.s32'"):
        table.row(named("ad.s32"))


@pytest.mark.parametrize(
    ("text", "writes", "reads"),
    [
        ("add.s32 %r1, %r2, %tid.x;", "%r1", "%r2 %tid.x"),
        ("add.s32 %r1, %r1, %r1;", "%r1", "%r1"),
        ("@!%p1 mov.u32 %r1, 5;", "%r1", "%p1"),
        ("mov.u64 %rd1, g;", "%rd1", ""),
        ("setp.lt.and.s32 %p1|%p2, %r1, 4, !%p3;", "%p1 %p2", "%r1 %p3"),
        ("setp.lt.s32 _|%p2, %r1, 4;", "%p2", "%r1"),
        ("selp.b32 %r1, %r2, %r3, %p1;", "%r1", "%r2 %r3 %p1"),
        ("ld.global.v4.f32 {%f1, %f2, _, %f3}, [%rd1+4];", "%f1 %f2 %f3", "%rd1"),
        ("ld.global.v4.f32 v, [%rd1];", "v", "%rd1"),
        ("st.global.v2.f32 [%rd1], {%f1, %f2};", "", "%rd1 %f1 %f2"),
        ("mov.b64 {%r1, %r2}, %rd1;", "%r1 %r2", "%rd1"),
        ("mov.f32 v.x, %f1;", "v", "v %f1"),
        ("mov.f32 %f1, v.x;", "%f1", "v"),
        ("vadd.u32.u32.u32 %r1.b0, %r2.b1, %r3, %r4;", "%r1", "%r1 %r2 %r3 %r4"),
        ("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "%r1", "%rd1 %r2 %r3"),
        ("red.global.add.u32 [%rd1], %r2;", "", "%rd1 %r2"),
        ("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", "%r1 %p1", "%r2"),
        ("vote.sync.ballot.b32 %r1, !%p1, %r2;", "%r1", "%p1 %r2"),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f5, %f6}];",
         "%f1 %f2 %f3 %f4 %p1", "%rd1 %f5 %f6"),
        ("cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;", "", "%r1 %rd1 %r2"),
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};",
         "%f1", "%r1 %r2 %f2"),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd1, %rd2, %p1;",
         "%f1 %f2", "%f1 %f2 %rd1 %rd2 %p1"),
        ("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", "%p1", "%r1 %r2"),
        ("mbarrier.arrive.shared.b64 _, [%r1];", "", "%r1"),
        ("bar.red.popc.u32 %r1, %r2, %p1;", "%r1", "%r2 %p1"),
        ("call (%r1), k, (%r2, %f1);", "%r1", "%r2 %f1"),
        ("@%p1 call %rd1, (%r2);", "", "%p1 %rd1 %r2"),
        ("bra L;", "", ""),
        ("bar.sync %r1;", "", "%r1"),
    ],
)  # fmt: skip
def test_registers_written_and_read(text: str, writes: str, reads: str) -> None:
    found = one(text)
    assert table.writes(found) == tuple(writes.split())
    assert table.reads(found) == tuple(reads.split())


RD1 = Address(Register("%rd1"))
R1 = Address(Register("%r1"))


@pytest.mark.parametrize(
    ("text", "accesses"),
    [
        ("ld.global.f32 %f1, [%rd1];", [("load", "global", 4, RD1)]),
        ("ld.f32 %f1, [%rd1];", [("load", "generic", 4, RD1)]),
        ("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
         [("load", "global", 16, RD1)]),
        ("ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd1];",
         [("load", "global", 32, RD1)]),
        ("ld.param.u64 %rd1, [a];", [("load", "param", 8, Address(Symbol("a")))]),
        ("ld.global.u32 %r1, g[2];", [("load", "global", 4, Address(Symbol("g"), 8))]),
        ("ld.volatile.shared.u8 %r1, [%r1];", [("load", "shared", 1, R1)]),
        ("ld.shared::cluster.b16 %r1, [%r1];", [("load", "shared", 2, R1)]),
        ("st.local.v2.f64 [%rd1], {%rd1, %rd2};", [("store", "local", 16, RD1)]),
        ("atom.shared.add.u32 %r2, [%r1], 1;", [("atomic", "shared", 4, R1)]),
        ("red.add.f32 [%rd1], %f1;", [("atomic", "generic", 4, RD1)]),
        ("cp.async.ca.shared.global [%r1], [%rd1], 8;",
         [("load", "global", 8, RD1), ("store", "shared", 8, R1)]),
        ("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];",
         [("load", "global", 0, RD1), ("store", "shared", 0, R1)]),
        ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r1];",
         [("load", "shared", 16, R1)]),
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1}, [%rd1], 16;",
         [("load", "global", 0, RD1)]),
        ("prefetch.global.L2 [%rd1];", []),
        ("mbarrier.init.shared.b64 [%r1], 4;", []),
        ("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];", []),
        ("add.s32 %r1, %r1, 1;", []),
    ],
)  # fmt: skip
def test_memory_accesses(text: str, accesses: list[tuple[str, str, int, Address]]) -> None:
    found = one(text)
    assert table.accesses(found) == tuple(MemoryAccess(*each) for each in accesses)  # type: ignore[arg-type]
    assert table.access(found) == (MemoryAccess(*accesses[0]) if accesses else None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("opcode", "space"),
    [
        ("ld.global.f32", "global"),
        ("ld.f32", "generic"),
        ("st.shared::cta.b32", "shared"),
        ("ld.param::entry.b32", "param"),
        ("atom.add.u32", "generic"),
        ("cvta.to.global.u64", "global"),
        ("add.s32", None),
        ("bar.sync", None),
    ],
)
def test_state_spaces(opcode: str, space: str | None) -> None:
    assert table.space(named(opcode)) == space


@pytest.mark.parametrize(
    ("opcode", "types"),
    [
        ("cvt.rn.f32.s32", ("f32", "s32")),
        ("ld.global.v4.f32", ("f32",)),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ("f32", "f16", "f16", "f32")),
        ("cvt.rn.satfinite.e4m3x2.f32", ("e4m3x2", "f32")),
        ("bra.uni", ()),
    ],
)
def test_types(opcode: str, types: tuple[str, ...]) -> None:
    assert table.types(named(opcode)) == types


@pytest.mark.parametrize(
    ("opcode", "control"),
    [
        ("bra", "branch"),
        ("bra.uni", "branch"),
        ("brx.idx", "indirect-branch"),
        ("call.uni", "call"),
        ("ret", "return"),
        ("exit", "exit"),
        ("trap", "trap"),
        ("bar.sync", "barrier"),
        ("bar.red.popc.u32", "barrier"),
        ("barrier.sync.aligned", "barrier"),
        ("barrier.cta.sync", "barrier"),
        ("bar.arrive", None),
        ("bar.warp.sync", None),
        ("barrier.cluster.wait", None),
        ("membar.gl", None),
        ("add.s32", None),
    ],
)
def test_control(opcode: str, control: str | None) -> None:
    assert table.control(named(opcode)) == control


@pytest.mark.parametrize(
    ("opcode", "cost"),
    [
        ("add.s32", "integer"),
        ("add.f32", "single"),
        ("fma.rn.f64", "double"),
        ("fma.rn.bf16x2", "half"),
        ("div.rn.f32", "division"),
        ("cvt.f64.f32", "conversion"),
        ("sin.approx.f32", "special"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "matrix"),
    ],
)
def test_costs(opcode: str, cost: str) -> None:
    assert table.cost(named(opcode)) == cost


def test_the_carry_bit() -> None:
    assert table.carry(named("add.cc.u32")) == {"writes"}
    assert table.carry(named("addc.cc.u32")) == {"reads", "writes"}
    assert table.carry(named("madc.hi.u32")) == {"reads"}
    assert table.carry(named("mad.lo.cc.u32")) == {"writes"}
    assert table.carry(named("add.u32")) == set()
