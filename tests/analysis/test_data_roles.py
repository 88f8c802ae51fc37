"""What the integers in arrays are for, against the `// roles:` comments, and what runs do then."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from perflint import frontend
from perflint.analysis import analyse
from perflint.analysis.model import DataRole, KernelFacts, Pointer
from perflint.frontend.mangling import nested_name
from perflint.grammar import parse
from perflint.lint import data_values
from perflint.lint.data_values import by_place, with_room_for_rows
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Fill, Flags, Launch, Marked, Offsets, Scalar

SOURCE = Path(__file__).parent / "roles" / "arrays.cu"


def buffer_of(
    facts: KernelFacts,
    pointer: Pointer,
    name: str,
    size: int,
    allocations: dict[int, int],
    values: dict[int, int],
) -> Buffer:
    """The array behind a pointer, with allocations and values by parameter: no struct is passed."""
    known = by_place(allocations), by_place(values)
    return data_values.buffer_of(facts, pointer, name, size, *known)


@lru_cache(maxsize=1)
def kernels() -> dict[str, KernelFacts]:
    ptx = frontend.compile_file(SOURCE).ptx
    assert ptx is not None
    module = parse(ptx)
    return {nested_name(k.name)[-1]: analyse(module, k) for k in module.kernels}


def expected() -> dict[str, tuple[list[str], list[str]]]:
    """By kernel: its parameters' names, and the roles that the comment above it lists."""
    found = re.findall(r"// roles:(.*)\n__global__ void (\w+)\(([^)]*)\)", SOURCE.read_text())
    return {
        name: (re.findall(r"(\w+)(?:,|$)", parameters), roles.split())
        for roles, name, parameters in found
    }


def described(role: DataRole, names: list[str], facts: KernelFacts) -> str:
    def pointer(which: Pointer) -> str:
        struct = facts.kernel.parameters[which[0]].dimensions
        return names[which[0]] + (f"+{which[1]}" if struct else "")

    into = ",".join(
        f"{pointer(i.pointer)}/{i.scale.describe(lambda s: names[s.index])}" for i in role.into
    )
    return f"{pointer(role.pointer)}={role.kind}" + (f"({into})" if into else "")


@pytest.mark.parametrize("name", expected())
def test_roles_are_as_marked(name: str) -> None:
    names, roles = expected()[name]
    facts = kernels()[name]
    found = {described(r, names, facts) for r in facts.data_roles}
    plain = {re.sub(r"\((.*)\)", lambda m: f"({','.join(sorted(m[1].split(',')))})", r)
             for r in found}  # fmt: skip
    wanted = {re.sub(r"\((.*)\)", lambda m: f"({','.join(sorted(m[1].split(',')))})", r)
              for r in roles}  # fmt: skip
    assert plain == wanted


def test_integers_are_within_what_they_index() -> None:
    """The indexed array's allocation tells, where there is one; else the trial's size."""
    facts = kernels()["gathers_rows"]
    table = (1, 0)
    cell = (2, 0)
    assert buffer_of(facts, cell, "cell", 1024, {1: 4 * 50 * 7}, {3: 7}).limit == 50
    assert buffer_of(facts, cell, "cell", 1024, {1: 4 * 50 * 7}, {}).limit == 1024
    assert buffer_of(facts, cell, "cell", 1024, {}, {3: 7}).limit == 1024
    assert buffer_of(facts, cell, "cell", 64, {1: 4 << 20}, {3: 1}).limit == 1 << 20
    assert buffer_of(facts, table, "table", 64, {1: 4 << 20}, {3: 1}).limit == 64


def test_offsets_fit_the_allocations() -> None:
    facts = kernels()["sparse_rows"]
    row = (3, 0)
    sizes = {3: 4 * 101, 2: 4 * 900, 1: 4 * 700}
    assert buffer_of(facts, row, "row", 64, sizes, {}).contents == Offsets(7, 100, 700)
    assert buffer_of(facts, row, "row", 64, {}, {}).contents == Offsets()
    assert buffer_of(facts, (2, 0), "col", 64, {4: 4 * 30}, {}).limit == 30
    flags = kernels()["picks"]
    assert isinstance(buffer_of(flags, (1, 0), "mask", 64, {}, {}).contents, Flags)


def test_rows_of_invented_sizes_have_elements() -> None:
    """1,000 rows in 640 elements would have none; what the host code tells is left as it is."""
    facts = kernels()["sparse_rows"]
    sizes = {3: 4 * 1001, 2: 4 * 640, 1: 4 * 640}
    assert with_room_for_rows(facts, sizes, {1, 2}, {}) == {3: 4004, 2: 4 * 8008, 1: 4 * 8008}
    assert with_room_for_rows(facts, sizes, {2}, {})[1] == 4 * 640
    assert with_room_for_rows(facts, sizes, (), {}) == sizes


def test_what_steers_loops_is_not_enlarged() -> None:
    facts = kernels()["gathers_rows"]
    steering = replace(facts, data_roles=tuple(replace(r, steers=True) for r in facts.data_roles))
    assert buffer_of(steering, (2, 0), "cell", 64, {1: 4 << 20}, {3: 1}).limit == 64


@pytest.mark.parametrize("fill", [Fill.RANDOM, Fill.IDENTITY])
def test_a_sparse_product_is_whole_and_in_range(fill: Fill) -> None:
    """Held against NumPy: rows have turns, none leaves its array."""
    facts = kernels()["sparse_rows"]
    n, nonzeros, columns = 256, 256 * 6, 90
    sizes = {0: 4 * n, 1: 4 * nonzeros, 2: 4 * nonzeros, 3: 4 * (n + 1), 4: 4 * columns}
    buffers = [buffer_of(facts, (i, 0), f"b{i}", 1024, sizes, {5: n}) for i in range(5)]
    run = simulate(
        facts.module,
        facts.kernel,
        Launch((2, 1, 1), (128, 1, 1), (*buffers, Scalar(n))),
        SimulationOptions(fill=fill),
    )
    assert not run.faults
    assert run.stop is None
    val, x, y = (run.buffers[f"b{i}"].view(np.float32).astype(np.float64) for i in (1, 4, 0))
    col, row = (run.buffers[f"b{i}"].view(np.int32) for i in (2, 3))
    lengths = np.diff(row[: n + 1])
    assert (lengths.min(), lengths.max()) == ((0, 12) if fill is Fill.RANDOM else (6, 6))
    assert row[n] == nonzeros
    rows = np.repeat(np.arange(n), lengths)
    products = val[: row[n]] * x[col[: row[n]]]
    assert np.allclose(y[:n], np.bincount(rows, products, n), rtol=1e-5)


def test_both_arms_are_taken() -> None:
    facts = kernels()["picks"]
    buffers = [buffer_of(facts, (i, 0), f"b{i}", 1024, {}, {}) for i in range(3)]
    launch = Launch((8, 1, 1), (128, 1, 1), tuple(buffers))
    run = simulate(
        facts.module, facts.kernel, launch, SimulationOptions(blocks=[(i, 0, 0) for i in range(8)])
    )
    mask = run.buffers["b1"].view(np.int32)[:1024] != 0
    done = run.buffers["b2"].view(np.uint8)[:1024] != 0
    for flags in (mask, done, mask & ~done):
        assert 100 < flags.sum() < 924
    out = run.buffers["b0"].view(np.float32)
    assert (out[:1024] == 1).sum() == (mask & ~done).sum()


def test_without_a_role_nothing_changes() -> None:
    facts = kernels()["neither"]
    assert buffer_of(facts, (1, 0), "count", 64, {}, {}).contents is None
    assert isinstance(buffer_of(facts, (0, 0), "out", 64, {0: 256}, {}), Buffer)


@pytest.mark.parametrize(
    ("kernel", "array", "mark"), [("probes", 1, 0xFFFFFFFF), ("along_a_list", 2, -1)]
)
@pytest.mark.parametrize("fill", [Fill.RANDOM, Fill.IDENTITY])
def test_walks_come_to_an_end(kernel: str, array: int, mark: int, fill: Fill) -> None:
    """At a mark, after some steps; what is none lies within what it indexes."""
    facts = kernels()[kernel]
    pointers = range(len(facts.kernel.parameters) - (kernel == "probes"))
    buffers = [buffer_of(facts, (i, 0), f"b{i}", 1024, {}, {}) for i in pointers]
    contents = buffers[array].contents
    assert isinstance(contents, Marked)
    assert contents.mark & 0xFFFFFFFF == mark & 0xFFFFFFFF
    launch = Launch((4, 1, 1), (128, 1, 1), (*buffers, *([Scalar(1000)] * (kernel == "probes"))))
    run = simulate(facts.module, facts.kernel, launch, SimulationOptions(fill=fill))
    assert run.stop is None
    assert not run.faults
    held = run.buffers[f"b{array}"].view(np.uint32)
    marks = held == mark & 0xFFFFFFFF
    assert marks[::4].all()
    assert not marks[1:4].any()
    assert held[~marks].max() < 1024
