"""What values and places depend on: uniform, affine, divergent; loaded; under loaded control."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, AnalysisError, KernelFacts
from perflint.grammar import parse

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.const .align 4 .b8 host_filled[64];
.const .align 4 .b32 fixed[4] = {1, 2, 3, 4};
.visible .entry k(
	.param .u64 k_param_0,
	.param .u64 k_param_1,
	.param .u32 k_param_2
)
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<32>;
	.shared .align 4 .b8 tile[1024];
	.shared .align 4 .b8 other[1024];
	.local .align 4 .b8 mine[64];
	ld.param.u64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	ld.param.u64 %rd3, [k_param_1];
	cvta.to.global.u64 %rd4, %rd3;
	ld.param.u32 %r1, [k_param_2];
	mov.u32 %r2, %tid.x;
"""


def facts_of(body: str) -> KernelFacts:
    module = parse(HEAD + body + "\n\tret;\n}\n", "k.ptx")
    return analyse(module, module.kernels[0])


def last_store(body: str) -> AccessSite:
    """The last global store, to which each body comes down."""
    return [s for s in facts_of(body).sites if s.kind == "store" and s.space == "global"][-1]


#: An address from %r10, stored to.
STORE = """
	mul.wide.s32 %rd10, %r10, 4;
	add.s64 %rd11, %rd4, %rd10;
	st.global.u32 [%rd11], %r1;
"""

#: %r3: a loaded value that differs from lane to lane; %p1: a predicate on it.
LOAD = """
	mul.wide.u32 %rd5, %r2, 4;
	add.s64 %rd6, %rd2, %rd5;
	ld.global.u32 %r3, [%rd6];
	setp.gt.s32 %p1, %r3, 0;
"""


@pytest.mark.parametrize(
    ("body", "uniformity", "loaded"),
    [
        ("mov.u32 %r10, %ctaid.x;", "uniform", False),
        ("mov.u32 %r10, %r1;", "uniform", False),
        ("mov.u32 %r10, %r2;", "affine", False),
        ("mov.u32 %r10, %laneid;", "affine", False),
        ("mad.lo.s32 %r10, %r2, %r1, 7;", "affine", False),
        ("mul.lo.s32 %r10, %r2, %r2;", "divergent", False),
        ("xor.b32 %r10, %r2, 5;", "divergent", False),
        ("ld.global.u32 %r10, [%rd2];", "uniform", True),
        (LOAD + "mov.u32 %r10, %r3;", "divergent", True),
        ("atom.global.add.u32 %r10, [%rd2], 1;", "divergent", True),
        ("ld.const.u32 %r10, [host_filled+4];", "uniform", True),
        ("ld.const.u32 %r10, [fixed+4];", "uniform", False),
        ("tex.1d.v4.s32.s32 {%r10, %r11, %r12, %r13}, [%rd1, {%r1}];", "uniform", True),
        (LOAD + "vote.sync.ballot.b32 %r10, %p1, -1;", "uniform", True),
        ("setp.lt.s32 %p2, %r2, 9;\n vote.sync.ballot.b32 %r10, %p2, -1;", "uniform", False),
        ("setp.lt.s32 %p2, %r2, 9;\n selp.b32 %r10, 1, 2, %p2;", "divergent", False),
        ("setp.lt.s32 %p2, %r1, 9;\n selp.b32 %r10, 1, 2, %p2;", "uniform", False),
        ("setp.lt.s32 %p2, %r1, 9;\n mov.u32 %r10, 1;\n @%p2 mov.u32 %r10, %r2;",
         "divergent", False),
        (LOAD + "mov.u32 %r10, 1;\n @%p1 mov.u32 %r10, 2;", "divergent", True),
        ("clz.b32 %r10, %r2;", "divergent", False),
        ("clz.b32 %r10, %r1;", "uniform", False),
        ("mov.u32 %r10, %clock;", "uniform", True),
    ],
)  # fmt: skip
def test_addresses(body: str, uniformity: str, loaded: bool) -> None:
    site = last_store(body + STORE)
    assert (site.uniformity, site.loaded_address) == (uniformity, loaded)


@pytest.mark.parametrize(
    ("stored", "where", "read", "loaded"),
    [
        ("%r2", "tile", "tile", False),
        ("%r3", "tile", "tile", True),
        ("%r3", "tile", "other", False),
        ("%r3", "mine", "mine", True),
        ("%r2", "mine", "mine", False),
    ],
)
def test_what_went_through_memory_of_the_kernels_own(
    stored: str, where: str, read: str, loaded: bool
) -> None:
    space = "local" if where == "mine" else "shared"
    site = last_store(
        f"{LOAD} st.{space}.u32 [{where}], {stored};\n ld.{space}.u32 %r10, [{read}];{STORE}"
    )
    assert site.loaded_address is loaded


#: A function that only computes, and one that reads memory; a call of %s with %r2 into %r10.
FUNCTIONS = """
.func (.param .b32 result) twice(.param .b32 value)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [value];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
.func (.param .b32 result) look_up(.param .b32 value)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u32 %r1, [value];
	cvt.u64.u32 %rd1, %r1;
	ld.global.u32 %r2, [%rd1];
	st.param.b32 [result], %r2;
	ret;
}
"""
CALL = """{
	.param .b32 argument;
	.param .b32 answer;
	st.param.b32 [argument], %s;
	call.uni (answer), %s, (argument);
	ld.param.b32 %%r10, [answer];
	}"""


@pytest.mark.parametrize(
    ("function", "argument", "uniformity", "loaded"),
    [
        ("twice", "%r1", "uniform", False),
        ("twice", "%r2", "affine", False),
        ("look_up", "%r1", "uniform", True),
    ],
)
def test_results_of_calls(function: str, argument: str, uniformity: str, loaded: bool) -> None:
    head = HEAD.replace(".visible .entry", FUNCTIONS + ".visible .entry")
    body = CALL % (argument, function) + STORE
    module = parse(head + body + "\n\tret;\n}\n", "k.ptx")
    site = analyse(module, module.kernels[0]).sites[-1]
    assert (site.uniformity, site.loaded_address) == (uniformity, loaded)


@pytest.mark.parametrize(
    ("body", "rounded"),
    [
        (LOAD + "mov.u32 %r10, %r3;", False),
        (LOAD + "cvt.s64.s32 %rd9, %r3;\n cvt.u32.u64 %r10, %rd9;", False),
        (LOAD + "mov.b32 %f1, %r3;\n cvt.rzi.s32.f32 %r10, %f1;", True),
        (
            LOAD + "mov.b32 %f1, %r3;\n cvt.rni.u32.f32 %r4, %f1;\n mad.lo.s32 %r10, %r4, 7, %r2;",
            True,
        ),
        (LOAD + "mov.b32 %f1, %r3;\n cvt.rzi.f32.f32 %f2, %f1;\n mov.b32 %r10, %f2;", False),
        ("cvt.rn.f32.u32 %f1, %r2;\n cvt.rzi.u32.f32 %r10, %f1;", False),
        # of all lanes
        ("ld.global.f32 %f1, [%rd2];\n cvt.rzi.s32.f32 %r4, %f1;\n add.s32 %r10, %r2, %r4;", False),
    ],
)
def test_integers_made_of_loaded_floats(body: str, rounded: bool) -> None:
    assert last_store(body + STORE).rounded_address is rounded


def test_storing_under_loaded_control_taints_what_is_stored() -> None:
    site = last_store(
        LOAD + "@!%p1 bra SKIP;\n st.shared.u32 [tile], %r2;\nSKIP:\n"
        "ld.shared.u32 %r10, [tile];" + STORE
    )
    assert site.loaded_address


#: A loop that runs until %r4 reaches a register; where it begins and where it ends.
TOP = "mov.u32 %r4, 0;\nTOP:\n"


def until(register: str) -> str:
    return f"add.s32 %r4, %r4, 1;\n setp.lt.s32 %p2, %r4, {register};\n @%p2 bra TOP;"


#: %p3: a condition that is 0 or 1 as loaded data chose.
CHOSEN = "mov.u32 %r5, 0;\n @%p1 bra SET;\n mov.u32 %r5, 1;\nSET:\n setp.eq.s32 %p3, %r5, 0;"


@pytest.mark.parametrize(
    ("body", "depends"),
    [
        ("setp.ge.s32 %p2, %r2, %r1;\n @%p2 bra END;" + STORE + "END:", False),
        (LOAD + "@%p1 bra END;" + STORE + "END:", True),
        (LOAD + "@%p1 ret;" + STORE, True),
        (LOAD + "@%p1 bra JOIN;\n membar.gl;\nJOIN:" + STORE, False),
        (LOAD + "@%p1 bra BAD;" + STORE + "\n ret;\nBAD:\n trap;", False),
        (LOAD + "@%p1 st.global.u32 [%rd4], %r2;", True),
        # A loop around the store, bounded by a parameter and by loaded data.
        (TOP + STORE + until("%r1"), False),
        (LOAD + TOP + STORE + until("%r3"), True),
        # Behind such a loop the store runs once in any case.
        (LOAD + TOP + until("%r3") + STORE, False),
        (LOAD + CHOSEN + "@%p3 bra END;" + STORE + "END:", True),
    ],
)
def test_control(body: str, depends: bool) -> None:
    assert last_store("mov.u32 %r10, %r2;\n" + body).data_dependent is depends


def test_the_counter_of_a_loop_that_data_ends_is_loaded_behind_it() -> None:
    use = "mov.u32 %r10, %r4;" + STORE
    assert last_store(LOAD + TOP + until("%r3") + use).loaded_address
    assert not last_store(LOAD + TOP + until("%r1") + use).loaded_address


def test_a_copy_to_shared_memory_is_two_sites() -> None:
    body = (
        "mul.wide.u32 %rd5, %r2, 4;\n add.s64 %rd6, %rd2, %rd5;\n mov.u32 %r4, tile;\n"
        "mad.lo.s32 %r5, %r2, 8, %r4;\n cp.async.ca.shared.global [%r5], [%rd6], 4;\n"
        "ld.shared.u32 %r10, [tile];" + STORE
    )
    first, second, *_, store = facts_of(body).sites
    assert {(s.kind, s.space, s.size, str(s.strides["x"])) for s in (first, second)} == {
        ("load", "global", 4, "4"),
        ("store", "shared", 4, "8"),
    }
    assert store.loaded_address  # what was copied is loaded data


def test_generic_addresses_are_told_by_their_provenance() -> None:
    body = (
        "cvta.shared.u64 %rd7, %rd8;\n mov.u64 %rd8, tile;\n cvta.shared.u64 %rd9, %rd8;\n"
        "st.u32 [%rd9], %r2;\n st.u32 [%rd1+8], %r2;"
    )
    shared, parameter = (s for s in facts_of(body).sites if s.kind == "store")
    assert (shared.space, shared.array.name) == ("shared", "tile")
    assert (parameter.space, parameter.array.parameter) == ("global", 0)


def test_swapped_buffers_are_nobodys() -> None:
    """Two pointers that change places in a loop: no array, and no wrong one."""
    body = (
        "mov.u32 %r4, 0;\nTOP:\n st.global.u32 [%rd2], %r4;\n mov.u64 %rd7, %rd2;\n"
        "mov.u64 %rd2, %rd4;\n mov.u64 %rd4, %rd7;\n add.s32 %r4, %r4, 1;\n"
        "setp.lt.s32 %p2, %r4, %r1;\n @%p2 bra TOP;"
    )
    facts = facts_of(body)
    assert facts.sites[0].array.kind == "unknown"
    assert facts.pointer_parameters == {0, 1}


def test_what_it_cannot_make_sense_of_is_one_error() -> None:
    module = parse(HEAD + "\tret;\n}\n", "k.ptx")
    kernel = module.kernels[0]
    unheard_of = replace(kernel.instructions[0], opcode="frobnicate")
    with pytest.raises(AnalysisError, match="frobnicate"):
        analyse(module, replace(kernel, instructions=(unheard_of,)))
    with pytest.raises(AnalysisError, match="no instructions"):
        analyse(module, replace(kernel, instructions=()))
