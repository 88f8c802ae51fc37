"""Compiled CUDA against the expectations written beside its statements (`data/cases.cu`)."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.symbols import Parameter, Symbol
from perflint.grammar import parse

DATA = Path(__file__).parent / "data"
SOURCE = (DATA / "cases.cu").read_text()
MODULE = parse((DATA / "cases.ptx").read_text(), "cases.ptx")
FACTS = {kernel.name: analyse(MODULE, kernel) for kernel in MODULE.kernels}

#: Fields of `struct Image` by byte offset.
FIELDS = {0: "pixels", 8: "pitch"}


def parameter_names(kernel: str) -> list[str]:
    head = re.search(rf"void {kernel}\(([^)]*)\)", SOURCE)
    assert head is not None
    return [re.findall(r"\w+", p)[-1] for p in head.group(1).split(",")]


def source_name(facts: KernelFacts, symbol: Symbol) -> str | None:
    if not isinstance(symbol, Parameter):
        return None
    name = parameter_names(facts.kernel.name)[symbol.index]
    struct = bool(facts.kernel.parameters[symbol.index].dimensions)
    return f"{name}.{FIELDS[symbol.offset]}" if struct else name


def line_of(site: AccessSite) -> int:
    assert site.location is not None
    return next(at.line for at in site.location.chain() if at.file == "cases.cu")


def described(facts: KernelFacts, site: AccessSite) -> str:
    if site.array.parameter is not None:
        array = parameter_names(facts.kernel.name)[site.array.parameter]
    else:
        # _ZZ14transpose_tileE4tile: a static of a function, its name last with its length.
        array = re.sub(r"^_ZZ.*E\d+", "", site.array.name) or "?"
    step = site.strides["x"]
    text = "-" if step is None else step.describe(lambda s: source_name(facts, s))
    flags = " loaded" * site.loaded_address + " data" * site.data_dependent
    return f"{site.kind} {array} {text}{flags}"


def expectations() -> dict[str, dict[int, list[str]]]:
    """By kernel and first line of the statement: what is wanted."""
    out: dict[str, dict[int, list[str]]] = defaultdict(dict)
    kernel, pending = "", []
    for number, line in enumerate(SOURCE.splitlines(), 1):
        head = re.search(r"__global__ void (\w+)", line)
        want = re.match(r"\s*// want: (.*)", line)
        if head:
            kernel = head.group(1)
        if want:
            pending.append(want.group(1))
        elif pending:
            out[kernel][number] = pending
            pending = []
    return out


WANTED = expectations()


@pytest.mark.parametrize("kernel", sorted(WANTED))
def test_sites_are_as_the_source_says(kernel: str) -> None:
    facts, wanted = FACTS[kernel], WANTED[kernel]
    found: dict[int, list[str]] = defaultdict(list)
    for site in facts.sites:
        statement = max((n for n in wanted if n <= line_of(site)), default=0)
        found[statement].append(described(facts, site))
    assert {n: sorted(s) for n, s in found.items()} == {n: sorted(s) for n, s in wanted.items()}


def test_every_kernel_has_expectations() -> None:
    assert set(FACTS) == set(WANTED)


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [("one_line", {3, 4}), ("row_per_thread", {2}), ("matrix_product", set()), ("nested", set()),
     ("grid_stride", set()), ("triangle", set())],
)  # fmt: skip
def test_bare_strides(kernel: str, parameters: set[int]) -> None:
    assert FACTS[kernel].bare_strides == parameters


@pytest.mark.parametrize(
    ("kernel", "pointers"),
    [("one_line", {0, 1, 2}), ("grid_stride", {0}), ("two_arrays_chosen", {0, 1}),
     ("array_of_pointers", {0}), ("same_array_chosen", {0})],
)  # fmt: skip
def test_pointer_parameters(kernel: str, pointers: set[int]) -> None:
    assert FACTS[kernel].pointer_parameters == pointers


def test_pointers_in_structs_are_found_by_offset() -> None:
    facts = FACTS["grid_stride"]
    assert facts.pointer_fields == {2: (0,)}
    assert facts.element_types == {(0, 0): "f32", (2, 0): "f32"}


def test_element_types() -> None:
    assert FACTS["gather"].element_types[(1, 0)] == "f32"
    assert FACTS["gather"].element_types[(0, 0)][1:] == "32"
    assert FACTS["vectors"].element_types[(0, 0)] == "f32"
    assert FACTS["vectors"].element_types[(1, 0)][1:] == "16"
    # A constant is stored as an integer whatever it is: that says nothing.
    assert FACTS["odd_bits"].element_types[(0, 0)] == "b32"
    assert FACTS["array_of_pointers"].element_types[(0, 0)][1:] == "64"


@pytest.mark.parametrize(
    ("kernel", "talks"),
    [("accumulate", False), ("maximum", False), ("ticket", True), ("spin", True),
     ("doubling", False), ("gather", False)],
)  # fmt: skip
def test_blocks_that_communicate(kernel: str, talks: bool) -> None:
    assert FACTS[kernel].communicates is talks


@pytest.mark.parametrize(
    ("kernel", "kind", "uniformity"),
    [("accumulate", "atomic", "uniform"), ("one_line", "load", "affine"),
     ("gather", "store", "affine"), ("modulo", "store", "divergent"),
     ("left_at_different_turns", "store", "uniform")],
)  # fmt: skip
def test_uniformity_of_the_first_site(kernel: str, kind: str, uniformity: str) -> None:
    site = next(s for s in FACTS[kernel].sites if s.kind == kind)
    assert site.uniformity == uniformity


def test_values_carried_out_of_loops_that_lanes_leave_at_different_turns() -> None:
    inside, after = FACTS["left_at_different_turns"].sites
    assert (inside.uniformity, after.uniformity) == ("uniform", "divergent")
    assert not after.loaded_address


def test_unrolled_copies_are_one_site() -> None:
    """Four copies of the body and the remainder loop's."""
    first, second, _ = FACTS["matrix_product"].sites
    assert len(first.pcs) == len(second.pcs) == 5
    assert list(first.pcs) == sorted(first.pcs)


def test_special_registers_read() -> None:
    assert FACTS["odd_bits"].reads == {"%tid.x"}
    assert {"%tid.y", "%ctaid.x"} <= FACTS["matrix_product"].reads


def test_loop_depth() -> None:
    assert [s.loop_depth for s in FACTS["nested"].sites] == [2, 0]
