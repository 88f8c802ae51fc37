"""What ptxas makes of instructions, against the table; only where there is a ptxas."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from perflint.grammar import parse
from perflint.sim.expansion import machine_instructions

TOOL = shutil.which("ptxas")
EXIT, BRA, CALL, NOP = 0x94D, 0x947, 0x944, 0x918
DOUBLE = {0x22B, 0x42B, 0x82B, 0x228, 0x428, 0x828, 0x229, 0x429, 0x829}  # DFMA, DMUL, DADD
ALWAYS = 7  #: the predicate PT

TWO = ["div.rn.f64", "div.rn.f32", "div.full.f32", "div.approx.f32", "div.s32", "div.u32",
       "rem.s32", "rem.u32", "add.s64", "sub.s64", "mul.lo.s64", "mul.lo.u64", "mul.f64",
       "mul.f32", "add.s32", "mul.lo.s32"]  # fmt: skip
ONE = ["rcp.rn.f64", "sqrt.rn.f64", "rcp.rn.f32", "rcp.approx.f32", "rcp.approx.ftz.f32",
       "sqrt.rn.f32", "sqrt.approx.f32", "rsqrt.approx.f32", "ex2.approx.f32",
       "lg2.approx.f32"]  # fmt: skip
CALLED = ["div.s64", "div.u64", "rem.s64", "rem.u64"]


def source(name: str, operands: str) -> str:
    kind = name.rpartition(".")[2]
    return f""".version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{{
    .reg .{kind} %a, %b, %c;
    .reg .b64 %rd;
    ld.param.u64 %rd, [p];
    cvta.to.global.u64 %rd, %rd;
    ld.global.{kind} %a, [%rd];
    ld.global.{kind} %b, [%rd+8];
    {name} %c, {operands};
    st.global.{kind} [%rd+16], %c;
    st.global.{kind} [%rd+24], %b;
    ret;
}}
"""


def words(ptx: str, folder: Path) -> list[int]:
    """The first half of each machine instruction of the kernel: opcode, predicate, branch."""
    assert TOOL
    (folder / "k.ptx").write_text(ptx)
    subprocess.run([TOOL, "-arch=sm_80", "k.ptx", "-o", "k.cubin"], cwd=folder, check=True)
    data = (folder / "k.cubin").read_bytes()
    (at,), (count, names) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQ", data, at + 64 * i) for i in range(count)]
    for name, _, _, _, offset, size in headers:
        start = headers[names][4] + name
        if data[start : data.index(b"\0", start)] == b".text.k":
            return [struct.unpack_from("<Q", data, i)[0] for i in range(offset, offset + size, 16)]
    raise AssertionError("no code")


def common_path(code: list[int]) -> list[int]:
    """Opcodes up to the first EXIT, with branches over calls taken."""
    at, out = 0, []
    while True:
        word = code[at]
        out.append(word & 0xFFF)
        if word & 0xFFF == EXIT:
            return out
        at += 1
        if word & 0xFFF == BRA and word >> 12 & 0xF != ALWAYS:
            (distance,) = struct.unpack("<i", struct.pack("<I", word >> 32))
            target = at + distance // 16
            if any(each & 0xFFF == CALL for each in code[at:target]):
                at = target


@pytest.mark.skipif(TOOL is None, reason="no ptxas")
@pytest.mark.parametrize("name", [*ONE, *TWO, *CALLED])
def test_against_ptxas(name: str, tmp_path: Path) -> None:
    kind = name.rpartition(".")[2]
    plain = source(f"mov.{kind}", "%a")
    ptx = source(name, "%a" if name in ONE else "%a, %b")
    code = words(ptx, tmp_path)
    path, before = common_path(code), common_path(words(plain, tmp_path))
    called = len([w for w in code if w & 0xFFF != NOP]) - len(path) if name in CALLED else 0
    (instruction,) = [
        i for i in parse(ptx).kernels[0].instructions if i.opcode == name.split(".")[0]
    ]
    everything, doubles = machine_instructions(instruction)
    assert abs(len(path) + called - len(before) - everything) <= (4 if called else 1)
    assert doubles == len([op for op in path if op in DOUBLE])


def test_copies_are_folded() -> None:
    kernel = parse(source("mov.f32", "%a")).kernels[0]
    counts = [machine_instructions(i)[0] for i in kernel.instructions]
    assert counts == [0, 0, 1, 1, 0, 1, 1, 1]
