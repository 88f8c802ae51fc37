"""Which instructions the emulator takes, of those that ptxas accepts (tests/data/ptx_forms.tsv)."""

from __future__ import annotations

from pathlib import Path

from perflint.grammar import parse
from perflint.grammar.model import Function, Module
from perflint.sim.codegen import generate
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.program import build

DATA = Path(__file__).parent.parent / "data"
REGISTERS = (
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<12>; .reg .f64 %d<9>;"
    ".reg .b64 %l<10>; .reg .b128 %q<4>;"
)

#: What is refused before a launch, by its name.
REFUSED = {
    # how wide the lanes' results are before they are summed is left open
    "vadd2.s32.s32.u32.add", "vsub2.s32.s32.u32.add", "vabsdiff2.s32.s32.u32.add",
    "vadd4.s32.s32.u32.add", "vsub4.s32.s32.u32.add", "vabsdiff4.s32.s32.u32.add",
    # vectors and 128-bit words, of sm_90 on
    "atom.global.v2.f32.add", "atom.global.v4.f32.add", "red.global.v2.f32.add",
    "red.global.v4.f32.add", "red.global.v4.f16x2.add.noftz", "atom.global.cas.b128",
    "ld.global.b128", "mov.b128",
    # constant variables lie among the global ones
    "isspacep.const",
    # the stack
    "stacksave.u64", "stackrestore.u64", "alloca.u64",
}  # fmt: skip


def forms() -> list[str]:
    lines = (DATA / "ptx_forms.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[1] for line in lines if not line.startswith("#")]


def module(instructions: list[str]) -> Module:
    """One kernel an instruction."""
    kernels = "".join(
        f".entry k{n}() {{ {REGISTERS}\n{text}\nret; }}\n" for n, text in enumerate(instructions)
    )
    return parse(f".version 8.8\n.target sm_100a\n.address_size 64\n{kernels}")


def taken(kernel: Function) -> bool:
    try:
        generate(build(kernel))
    except UnsupportedInstructionError as error:
        assert error.name == kernel.instructions[0].name
        return False
    return True


def test_every_form_is_taken_or_refused_by_name() -> None:
    kernels = module(forms()).kernels
    assert len(kernels) > 1800
    assert {k.instructions[0].name for k in kernels if not taken(k)} == REFUSED
