"""Floors of machine code: read from nvdisasm's text, and never above what is really issued."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.api import load
from perflint.cli.commands import run
from perflint.profile.machine_code import counted as counting
from perflint.profile.machine_code import disassembly
from perflint.profile.machine_code.blocks import Block, Instruction, UnreadableCodeError, blocks
from perflint.profile.machine_code.least import Work, least, opcodes
from perflint.sim.floors import COUNTS

KERNELS = Path(__file__).parents[2] / "benchmarks" / "floors"
#: As nvdisasm writes a loop with a guard before it, a call, and a function that is called.
TEXT = """
\t.target\tsm_80
//--------------------- .text.other --------------------------
other:
        /*0000*/                   EXIT ;
//--------------------- .text.k --------------------------
\t.section\t.text.k,"ax",@progbits
k:
.text.k:
        /*0000*/                   ISETP.GE.AND P0, PT, R0, c[0x0][0x170], PT ;
        /*0010*/               @P0 EXIT ;
        /*0020*/                   MOV R1, RZ ;
        /*0030*/                   BSSY B0, `(.L_x_2) ;
.L_x_1:
        /*0040*/                   LDG.E R4, [R2.64] ;
        /*0050*/                   FFMA R5, R4.reuse, R4, R5 ;
        /*0060*/              @!P1 IADD3 R1, R1, 0x1, RZ ;
        /*0070*/               @P1 BRA `(.L_x_1) ;
        /*0080*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div) ;
.L_x_2:
        /*0090*/                   BRA.DIV UR4, `(.L_x_1) ;
        /*00a0*/                   STG.E [R2.64], R5 ;
        /*00b0*/                   EXIT ;
$__internal_0_$__cuda_sm3x_div:
        /*00c0*/                   MUFU.RCP R5, R5 ;
        /*00d0*/                   RET.REL.NODEC R6 `(k) ;
.L_x_9:
        /*00e0*/                   BRA `(.L_x_9);
        /*00f0*/                   NOP;
.L_x_10:
"""


def test_the_blocks_of_an_entry() -> None:
    found = blocks(TEXT, "k")
    shown = [(len(b.instructions), sorted(b.successors), b.open) for b in found]
    assert shown == [
        (2, [1], True),  # the guard, behind which some leave
        (2, [2], False),
        (4, [2, 3], False),
        (1, [4], False),  # a call comes back
        (1, [2, 5], True),  # `BRA.DIV` has a condition; BSSY names the place
        (2, [], False),
        (2, [], True),  # what is called
        (1, [7], False),
        (1, [], True),
    ]
    assert found[2].instructions[1:3] == [Instruction("FFMA", False), Instruction("IADD3", True)]


def test_what_is_not_understood_is_said() -> None:
    with pytest.raises(UnreadableCodeError, match="there is no code of absent"):
        blocks(TEXT, "absent")
    with pytest.raises(UnreadableCodeError, match="no row for FROB"):
        least([Block([Instruction("FROB", False)])], Work(1, {}))
    with pytest.raises(UnreadableCodeError, match="no instruction does what counts as fp64"):
        least(blocks(TEXT, "k"), Work(1, {"fp64": 4}))


def test_the_least_of_a_loop() -> None:
    """Two warps, ten requests: the store does one each at most, the loop the others."""
    found = least(blocks(TEXT, "k"), Work(2, {"lsu": 10, "fp32": 9}))
    # 9 turns of 4 and the entry's 2 for each warp; the tenth request is another turn's or a store's
    assert found["fp32"] == 9 and found["issue"] >= 9 * 4 + 2 * 2
    assert found["int"] == 2  # the guard of each warp; the loop's own may be stopped
    assert least(blocks(TEXT, "k"), Work(2, {}))["issue"] == 4


_KINDS = ["FFMA", "FADD", "LDG", "STS", "MUFU", "IADD3", "IMAD", "MOV", "DFMA", "HADD2"]
_instructions = st.lists(
    st.builds(Instruction, st.sampled_from(_KINDS), st.booleans()), min_size=1, max_size=4
)


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_no_execution_issues_less(data: st.DataObject) -> None:
    """Random graphs that warps go through at random, parting at times: no count is below."""
    count = data.draw(st.integers(1, 5))
    code = [
        Block(data.draw(_instructions), data.draw(st.lists(st.integers(0, count - 1), max_size=2)))
        for _ in range(count)
    ]
    code[0].open = True
    warps = data.draw(st.integers(1, 3))
    times = np.zeros(count, int)
    for _ in range(warps):
        waiting = [0]
        for _ in range(data.draw(st.integers(1, 12))):
            if not waiting:
                break
            at = waiting.pop()
            times[at] += 1
            some = sorted(set(code[at].successors))
            going = data.draw(st.lists(st.sampled_from(some), unique=True)) if some else []
            waiting += going  # both ways: the warp's lanes part there
    table = opcodes()
    done: dict[str, int] = {}
    real = {"issue": 0, **dict.fromkeys({row.pipe for row in table.values() if row.pipe}, 0)}
    for number, block in enumerate(code):
        for each in block.instructions:
            row = table[each.opcode]
            if row.does:
                done[row.does] = done.get(row.does, 0) + row.amount * int(times[number])
            real["issue"] += int(times[number])
            if row.pipe and not each.guarded:
                real[row.pipe] += int(times[number])
    found = least(code, Work(warps, done))
    assert all(found[name] <= real[name] for name in real)


def test_pipes_are_units_with_rates() -> None:
    from perflint.sim.architecture import load as architecture

    pipes = {row.pipe for row in opcodes().values() if row.pipe}
    assert pipes <= architecture("sm_80").rates.keys()
    assert {row.does for row in opcodes().values()} - {""} <= {"fp32", "fp64", "special", "lsu"}


@pytest.mark.skipif(disassembly.program() is None, reason="there is no nvdisasm")
def test_a_product_of_matrices() -> None:
    """Every turn loads twice and multiplies once, and its addresses are integers."""
    kernel = load(KERNELS / "sgemm.cu", arch="sm_80")["naive"]
    counts = np.zeros((1, len(COUNTS)), np.int64)
    counts[0, COUNTS.index("fma32")], counts[0, COUNTS.index("lsu")] = 1_000, 2_000
    found = counting.counted(kernel, "sm_80", counts, 8).least
    assert found["fp32"] == 1_000 and found["issue"] > 3_200 and found["imad"] + found["int"] > 200


LAUNCH = "<<<1,32>>>(in=ones:f32[32], out=zeros:f32[32], w=4, h=4)"
WORDS = ["profile", str(KERNELS.parents[1] / "examples/transpose.cu"), "--launch", LAUNCH]
WORDS += ["--kernel", "transpose_naive"]


@pytest.mark.skipif(disassembly.program() is None, reason="there is no nvdisasm")
def test_the_table_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*WORDS, "--floors", "--machine-code"]) == 0
    said = capsys.readouterr().out
    assert "ALU (integers)" in said and "issue and pipes of machine code too: " in said


def test_without_the_program_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run([*WORDS, "--machine-code"]) == 2
    assert "--machine-code needs --floors" in capsys.readouterr().err
    monkeypatch.setattr(disassembly, "program", lambda: None)
    assert run([*WORDS, "--floors", "--machine-code"]) == 2
    assert "pip install nvidia-cuda-nvdisasm" in capsys.readouterr().err
