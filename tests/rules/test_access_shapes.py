"""Whose a global access is: one of CU101 to CU105, and what comes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import AccessSite
from perflint.base.constructs import FunctionSource, ParameterSource
from perflint.frontend.source.constructs import constructs_of
from perflint.grammar import parse
from perflint.lint.findings import INLINED
from perflint.rules.access_shapes import element_size, groups, shapes
from perflint.rules.memory.vector_edits import _multiple
from perflint.rules.names import Names
from perflint.rules.protocol import Kernel
from perflint.sim.architecture import load as architecture
from tests.rules.test_rules import lint

HERE = Path(__file__).parent
SOURCES = sorted(path for n in range(1, 6) for path in HERE.glob(f"CU10{n}/*.cu"))
CODES = frozenset(f"CU10{n}" for n in range(1, 6))


def kernel_of(source: str, tmp_path: Path) -> Kernel:
    """What rules see of the only kernel of a source, without launches."""
    path = tmp_path / "kernel.cu"
    path.write_text(source)
    compilation = frontend.compile_file(path)
    assert compilation.ptx is not None
    module = parse(compilation.ptx)
    (kernel,) = module.kernels
    facts = analyse(module, kernel)
    functions = constructs_of(path, source).functions
    names = Names(tuple(f"p{i}" for i in range(len(kernel.parameters))))
    return Kernel(facts, names, architecture("sm_80"), function=functions[0])


def body(code: str, parameters: str = "float *out, const float *in") -> str:
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    return f"__global__ void k({parameters}, int n) {{ {index} {code} }}"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("out[i] = in[i];", "packed"),
        ("out[i] = in[i + 7];", "packed"),
        ("out[i] = in[n * i];", "scattered"),
        ("out[i] = in[2 * i];", "scattered"),
        ("out[i] = in[2 * i] + in[2 * i + 1];", "adjacent"),
        ("out[i] = in[4 * i] + in[4 * i + 1] * in[4 * i + 2];", "adjacent"),
        ("out[i] = in[2 * i + 1] + in[2 * i + 2];", "scattered"),  # no vector begins there
        ("out[i] = in[32 * i] + in[32 * i + 1];", "scattered"),
    ],
)
def test_kind(code: str, kind: str, tmp_path: Path) -> None:
    kernel = kernel_of(body(code), tmp_path)
    found = {
        shapes(kernel)[s.pcs].kind
        for s in kernel.facts.sites
        if s.kind == "load" and s.array.parameter == 1
    }
    assert found == {kind}


def test_a_group_is_one_access_of_all_its_instructions(tmp_path: Path) -> None:
    code = "float a = in[2 * i];\n float b = in[2 * i + 1];\n out[i] = a * b;"
    kernel = kernel_of(body(code), tmp_path)
    ((site, shape),) = groups(kernel, "adjacent")
    assert len(site.pcs) == len(shape.group) == 2
    assert shape.offsets == (0, 4)
    assert shape.step == 8
    assert shape.whole


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_each_place_and_array_has_one_owner(path: Path) -> None:
    """No access is reported under two codes: identities name its direction and array.

    A call that several lines of its function stand inlined at is a place of none of them.
    """
    owners = Counter(
        (place, f.kernel, f.identity)
        for f in lint(path)
        if f.code in CODES
        for place in {f.place, *(r.place for r in f.related if r.message != INLINED)}
    )
    assert set(owners.values()) == {1}


@pytest.mark.parametrize(
    ("type_", "size"),
    [
        ("const float *__restrict__", 4),
        ("unsigned char *", 1),
        ("const unsigned int *", 4),
        ("unsigned *", 4),
        ("long long *", 8),
        ("uint8_t *", 1),
        ("const int64_t *", 8),
        ("float4 *", 0),
        ("Body *", 0),
    ],
)
def test_element_size(type_: str, size: int, tmp_path: Path) -> None:
    kernel = kernel_of(body("out[i] = in[i];"), tmp_path)
    site = next(s for s in kernel.facts.sites if s.array.parameter == 1)
    assert kernel.function is not None
    assert element_size(_with_type(kernel, kernel.function, site, type_), site) == size


def _with_type(kernel: Kernel, function: FunctionSource, site: AccessSite, type_: str) -> Kernel:
    index = site.array.parameter
    assert index is not None

    def changed(number: int, parameter: ParameterSource) -> ParameterSource:
        return replace(parameter, type=type_) if number == index else parameter

    parameters = tuple(changed(n, p) for n, p in enumerate(function.parameters))
    return replace(kernel, function=replace(function, parameters=parameters))


@pytest.mark.parametrize(
    ("index", "found"),
    [
        ("2 * i", ("i", 0)),
        ("i*2+1", ("i", 1)),
        ("1 + 2 * (i + j)", ("(i + j)", 1)),
        ("2 * threadIdx.x + 1", ("threadIdx.x", 1)),
        ("2 * i + 2", None),
        ("i + 1", None),
        ("2 * i + k", None),
        ("2 * f(i) + 1", None),
        ("3 * i + 1", None),
    ],
)
def test_an_index_as_multiple_and_part(index: str, found: tuple[str, int] | None) -> None:
    assert _multiple(index, 2) == found


def test_a_fix_where_the_alignment_is_known() -> None:
    fixes = {f.place.line: f.fix for f in lint(HERE / "CU102" / "fixes.cu") if f.code == "CU102"}
    assert [fix is not None for fix in fixes.values()] == [True, True, True]
    pointer = fixes[max(fixes)]  # into the array: who knows where it points
    assert pointer is not None
    assert not pointer.safe
    assert "it must be aligned to 8 bytes" in pointer.message
    assert "reinterpret_cast<const int2 *>(at)->y" in [e.replacement for e in pointer.edits]
    load = fixes[min(fixes)]
    assert load is not None
    assert load.safe
    assert [e.replacement for e in load.edits] == [
        "reinterpret_cast<const float2 *>(input)[gid].x",
        "reinterpret_cast<const float2 *>(input)[gid].y",
    ]
    pairs = [f for f in lint(HERE / "CU102" / "pairs.cu") if f.code == "CU102"]
    assert pairs
    assert not any(f.fix is not None and f.fix.safe for f in pairs)
