"""The page in a real browser: its numbers, its lights, its hover, and what it must never do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.sim import architecture, banks, coalescing
from perflint.view.trace_reader import Trace
from tests.view.browser import Browser
from tests.view.equations import lights, operations
from tests.view.requests import cases

_CELLS = """
return Object.fromEntries([...document.querySelectorAll('.source tr[data-at]')].map((row) => [
  row.dataset.at, [...row.querySelectorAll('td.figure')].map((cell) => cell.textContent)]));
"""
Cells = dict[str, list[str]]


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"[\d.]+", text)]


def close(value: float) -> Any:
    """A figure as it is shown, to one decimal."""
    return pytest.approx(value, abs=0.0501)


def shown(value: float) -> str:
    return f"{value:,.1f}"


@pytest.mark.parametrize("name", ["naive", "tile", "padded", "reduce", "gather", "wide", "copy"])
def test_figures_are_those_of_the_profile(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace], name: str
) -> None:
    assert browser.open(pages[name])
    cells: Cells = browser.run(_CELLS)
    lines = traces[name].data["profile"]["lines"]
    sectors = sum(row.get("sectors", 0) for row in lines)
    waves = sum(row.get("wavefronts", 0) for row in lines)
    seen = 0
    for row in lines:
        excess, served, passes = cells[f"0:{row['row']}"]
        shares = []
        if "sectors" in row:
            ideal = row["ideal_sectors_per_request"]
            assert served == f"{shown(row['sectors_per_request'])} ({shown(ideal)})"
            shares.append((row["sectors"] - row["ideal_sectors"]) / sectors)
        if "wavefronts" in row:
            ideal = row["ideal_wavefronts_per_request"]
            assert passes == f"{shown(row['wavefronts_per_request'])} ({shown(ideal)})"
            shares.append((row["wavefronts"] - row["ideal_wavefronts"]) / waves)
        assert excess == (f"{100 * max(0.0, *shares):.1f} %" if shares else "")
        seen += bool(shares)
    assert seen >= 1
    assert browser.errors() == []


def test_every_architecture_counts_as_the_simulator_does(
    browser: Browser, pages: dict[str, Path]
) -> None:
    assert browser.open(pages["naive"])
    archs = [architecture.load(name) for name in architecture.names()]
    asked = list(cases(seed=5, each=12))
    sent = [
        {
            "space": space,
            "size": size,
            "lanes": np.flatnonzero(mask).tolist(),
            "offsets": offset[mask].tolist(),
        }
        for space, size, mask, offset in asked
    ]
    rules = [{"coalescing_rule": a.coalescing_rule, "shared_rule": a.shared_rule} for a in archs]
    found = browser.run(
        "return arguments[0].map((r) => arguments[1].map((a) => perflint.costOf(r, a)))",
        sent,
        rules,
    )
    for (space, size, mask, offset), costs in zip(asked, found, strict=True):
        for arch, cost in zip(archs, costs, strict=True):
            if space == "global":
                said = coalescing.transactions(arch.coalescing_rule, mask[None], offset[None], size)
                assert (cost["count"], cost["moved"]) == (said.count[0], said.bytes[0]), arch.name
            else:
                waves = banks.wavefronts(mask[None], offset[None], size, arch.shared_rule)
                measured = (waves.measured[0], waves.golden[0])
                assert (cost["count"], cost["ideal"]) == measured, (arch.name, size)


@pytest.mark.parametrize("name", ["tile", "gather", "wide", "copy"])
def test_another_architecture_changes_the_lines(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace], name: str
) -> None:
    assert browser.open(pages[name])
    before: Cells = browser.run(_CELLS)
    for arch in map(architecture.load, ("sm_10", "sm_13", "sm_20", "sm_30", "sm_90")):
        browser.run("perflint.app.setArch(arguments[0])", arch.name)
        cells: Cells = browser.run(_CELLS)
        expected = by_line(traces[name], arch)
        for key, (count, requests, waves, golden, shared) in expected.items():
            _, served, passes = cells[key]
            if requests:
                assert numbers(served)[0] == close(count / requests), (arch.name, key)
            if shared:
                assert numbers(passes) == [close(waves / shared), close(golden / shared)]
    browser.run("perflint.app.setArch('sm_80')")
    assert browser.run(_CELLS) == before


def by_line(trace: Trace, arch: architecture.Architecture) -> dict[str, np.ndarray]:
    """(transactions, requests, wavefronts, ideal ones, shared requests) by `source:line`."""
    out: dict[str, np.ndarray] = {}
    for stream in trace.streams:
        at = trace.data["instructions"][stream.instruction]
        sums = out.setdefault(f"{at['source']}:{at['line']}", np.zeros(5))
        mask, offset = trace.addresses(stream, slice(None))
        n = len(mask)
        if stream.space == "global":
            found = coalescing.transactions(arch.coalescing_rule, mask, offset, stream.size)
            sums += [found.count.sum(), n, 0, 0, 0]
        else:
            stores = stream.kind == "store"
            waves = banks.wavefronts(mask, offset, stream.size, arch.shared_rule, stores)
            sums += [0, 0, waves.measured.sum(), waves.golden.sum(), n]
    return out


@pytest.mark.parametrize(
    ("name", "arch", "block0", "warp0"),
    [("reduce", "sm_80", 0, 0), ("reduce", "sm_80", 7, 3), ("gather", "sm_80", 1, 3),
     ("gather", "sm_13", 0, 2), ("wide", "sm_30", 3, 2), ("copy", "sm_20", 0, 1)],
)  # fmt: skip
def test_lights_are_what_the_equations_say(
    browser: Browser,
    pages: dict[str, Path],
    traces: dict[str, Trace],
    name: str,
    arch: str,
    block0: int,
    warp0: int,
) -> None:
    trace = traces[name]
    assert browser.open(pages[name])
    browser.run("perflint.app.setArch(arguments[0]); perflint.app.setEach(5)", arch)
    browser.go(f"{{block0: {block0}, warp0: {warp0}, block: 2}}")
    grid = browser.run(
        "const view = perflint.app.panes[0].views.grid;"
        "return [view.rows, perflint.app.panes[0].trace.blocks.length,"
        " Array.from(perflint.app.panes[0].trace.blocks, (_, b) => view.lightsOf(b))]"
    )
    rows, per_block = grid[0], trace.warps_per_block
    done = [operations(trace, w, arch) for w in range(len(trace.leaf))]
    assert rows == -(-max(map(len, done)) // 5)
    different = 0.0
    for block in range(grid[1]):
        for warp in range(per_block):
            a, b = done[block0 * per_block + warp], done[block * per_block + warp]
            expected = lights(a, b, rows, 5, "warp")
            assert grid[2][block][warp] == [x if x is None else pytest.approx(x) for x in expected]
            different += sum(x or 0.0 for x in expected)
    assert different > 0
    browser.go("{level: 'block'}")
    browser.run("document.querySelector('.pane .astable').open = true")
    browser.driver.execute_async_script("requestAnimationFrame(arguments[0])")
    table = browser.run(
        "return [...document.querySelectorAll('.astable tbody tr')].map((row) =>"
        " [...row.children].map((cell) => cell.textContent))"
    )
    cells = iter(table)
    for warp in range(per_block):
        a, b = done[2 * per_block + warp0], done[2 * per_block + warp]
        columns = [lights(a, b, rows, 5, part) for part in ("threads", "shared", "global")]
        for row in range(rows):
            said = next(cells)
            assert said[0] == str(warp)
            for value, text in zip((c[row] for c in columns), said[2:], strict=True):
                assert (text == "ended") == (value is None)
                assert value is None or float(text) == pytest.approx(value, abs=6e-4)
    assert browser.errors() == []


def test_lanes_idle_in_both_may_be_alike(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace]
) -> None:
    """Then a warp does not differ from itself, and others differ by what only one has."""
    trace = traces["reduce"]
    assert browser.open(pages["reduce"])
    browser.run(
        "const label = [...document.querySelectorAll('label')].find((l) =>"
        " l.textContent.includes('idle in both')); label.querySelector('input').click()"
    )
    browser.go("{level: 'block', warp0: 1}")
    rows, each, columns = browser.run(
        "const view = perflint.app.panes[0].views.block;"
        "return [view.rows, perflint.app.panes[0].each, [0, 1, 2].map((w) => view.lightsOf(w)[0])]"
    )
    done = [operations(trace, w, "sm_80") for w in range(3)]
    for warp in range(3):
        expected = lights(done[1], done[warp], rows, each, "threads", idle_alike=True)
        assert columns[warp] == [x if x is None else pytest.approx(x) for x in expected]
    assert set(columns[1]) <= {0, None}
    assert any(columns[0])
