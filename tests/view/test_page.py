"""The page in a real browser: its numbers, its lights, its hover, and what it must never do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.sim import architecture, banks, coalescing
from perflint.view.page_writer import page
from perflint.view.trace_reader import Trace, read
from tests.view.browser import Browser
from tests.view.conftest import ROOT, document
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


@pytest.mark.parametrize("name", ["naive", "tile", "padded", "reduce", "gather", "wide"])
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


@pytest.mark.parametrize("name", ["tile", "gather", "wide"])
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
            waves = banks.wavefronts(mask, offset, stream.size, arch.shared_rule)
            sums += [0, 0, waves.measured.sum(), waves.golden.sum(), n]
    return out


@pytest.mark.parametrize(
    ("name", "arch", "block0", "warp0"),
    [("reduce", "sm_80", 0, 0), ("reduce", "sm_80", 7, 3), ("gather", "sm_80", 1, 3),
     ("gather", "sm_13", 0, 2), ("wide", "sm_30", 3, 2)],
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


def test_hover_is_right_at_random_points(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace]
) -> None:
    """Lanes and bytes of 200 pieces of random requests, as the trace has them."""
    random = np.random.default_rng(11)
    points = 0
    for name, times in (("naive", 8), ("tile", 8), ("gather", 12), ("wide", 12)):
        trace = traces[name]
        assert browser.open(pages[name], 1280, 1500)
        for _ in range(times):
            stream = trace.streams[random.integers(len(trace.streams))]
            row = int(random.integers(len(stream.warp)))
            block, warp = divmod(int(stream.warp[row]), trace.warps_per_block)
            step = int(stream.step[row])
            browser.go(f"{{block: {block}, warp: {warp}, step: {step}, level: 'operation'}}")
            mask, offset = trace.addresses(stream, np.array([row]))
            array = trace.data["regions"][int(stream.region[row])]["name"]
            for lane in random.choice(np.flatnonzero(mask[0]), 5).tolist():
                x, y = browser.run(
                    "const all = document.querySelectorAll(`svg.request .${arguments[0]}.l"
                    "${arguments[1]}`); const each = all[0]; each.scrollIntoView({block: 'center',"
                    " inline: 'center'}); const box = each.getBoundingClientRect();"
                    "return [box.x + box.width / 2, box.y + box.height / 2]",
                    "piece" if stream.space == "global" or points % 2 else "lane",
                    lane,
                )
                browser.move(x, y)
                text = browser.text("#tip")
                at = int(offset[0][lane])
                if text.startswith("bank"):
                    bank, word = re.findall(r"bank (\d+), word ([\d,]+)", text)[0]
                    assert str(lane) in re.findall(r"\d+", text.rpartition("lane")[2]), text
                    words = range(at // 4, (at + stream.size - 1) // 4 + 1)
                    assert int(word.replace(",", "")) in words
                    assert int(bank) == int(word.replace(",", "")) % 32
                else:
                    who, _, what = text.split(";")[0].partition(": ")
                    assert str(lane) in re.findall(r"\d+", who), text
                    assert what == f"{stream.size} bytes at {array} + {at:,}", (name, step)
                points += 1
    assert points == 200
    assert browser.errors() == []


def test_hover_over_the_grid(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace]
) -> None:
    assert browser.open(pages["reduce"])
    trace = traces["reduce"]
    left, top, wide, tall, columns, rows, each = browser.run(
        "const view = perflint.app.panes[0].views.grid;"
        "const box = view.scroller.canvas.getBoundingClientRect();"
        "const {wide, tall, columns} = view.layout(view.scroller.width);"
        "return [box.x, box.y, wide, tall, columns, view.rows, perflint.app.panes[0].each]"
    )
    done = [operations(trace, w, "sm_80") for w in range(len(trace.leaf))]
    random = np.random.default_rng(4)
    for _ in range(40):
        block, row = int(random.integers(8)), int(random.integers(rows))
        warp = int(random.integers(trace.warps_per_block))
        x = left + 8 + block % columns * wide + warp * 7 + 2
        y = top + 6 + block // columns * tall + 14 + row * 7 + 2
        browser.move(x, y)
        text = browser.text("#tip")
        value = lights(done[warp], done[block * trace.warps_per_block + warp], rows, each, "warp")
        said = "ended" if value[row] is None else f"{value[row]:.3f}"
        first, last = row * each, row * each + each - 1
        assert text == f"block {block}, warp {warp}, operations {first} to {last}: {said}"


def test_an_operation_and_its_line(browser: Browser, pages: dict[str, Path]) -> None:
    assert browser.open(pages["tile"])
    line = browser.run(
        "const rows = [...document.querySelectorAll('.source tr[data-at]')];"
        "const row = rows.find((r) => r.textContent.includes('tile[threadIdx.y + j]'));"
        "row.click(); return row.dataset.at"
    )
    pane = "perflint.app.panes[0]"
    assert browser.run(f"return [{pane}.level, {pane}.lineOf({pane}.step)]") == ["warp", line]
    browser.go("{level: 'operation'}")
    assert browser.run("return document.querySelector('tr.chosen').dataset.at") == line
    browser.run("document.querySelector('.sourcehead button').click()")
    ptx = browser.run("return [...document.querySelectorAll('tr.ptx')].map((r) => r.textContent)")
    assert any("ld.global.f32" in text for text in ptx)
    assert "ld.global.f32" in browser.text("tr.ptx.now")


def test_two_runs_are_aligned_by_operation(browser: Browser, pages: dict[str, Path]) -> None:
    assert browser.open(pages["pair"])
    panes = "perflint.app.panes"
    assert browser.run(f"return {panes}.length") == 2
    steps = browser.run(
        f"const [a, b] = {panes}; const out = [];"
        "a.go({level: 'operation', step: 0});"
        "for (let i = 0; i < 8; i += 1) { a.access(1);"
        " out.push([a, b].map((p) => p.box.querySelector('.summary').textContent)); } return out"
    )
    assert [each[0].split()[0] for each in steps] == ["load", "store"] * 4
    for naive, tile in steps:  # the n-th load from `in` beside the n-th one, and so on
        assert naive.split(",")[0] == tile.split(",")[0]
    assert "32 sectors" in steps[1][0] and "4 sectors" in steps[1][1]
    assert browser.errors() == []


def keys(*names: str) -> list[str]:
    from selenium.webdriver.common.keys import Keys

    return [getattr(Keys, name) if name.isupper() and len(name) > 1 else name for name in names]


def test_the_keyboard_reaches_everything(browser: Browser, pages: dict[str, Path]) -> None:
    assert browser.open(pages["reduce"])
    reached: dict[str, int] = {}
    for number in range(80):
        browser.press(*keys("TAB"))
        what = browser.run(
            "const at = document.activeElement; return at.className || at.textContent.slice(0, 20)"
            " || at.tagName"
        )
        if what in reached and len(reached) > 12:
            break
        reached.setdefault(str(what), number)
    assert {"Theme", "PTX", "lines", "number", "Grid", "Make representative", "scroller"} <= set(
        reached
    )
    browser.run("document.querySelector('.scroller').focus()")
    state = "const p = perflint.app.panes[0]; return [p.level, p.block, p.warp, p.block0, p.warp0]"
    browser.press(*keys("ARROW_RIGHT", "ARROW_RIGHT", "r", "ENTER"))
    assert browser.run(state) == ["block", 2, 0, 2, 0]
    assert "block 2" in browser.text("#status")
    browser.run("document.querySelector('.scroller').focus()")
    browser.press(*keys("ARROW_RIGHT", "r", "ENTER"))
    assert browser.run(state) == ["warp", 2, 1, 2, 1]
    browser.run("document.querySelector('.scroller').focus()")
    browser.press(*keys("HOME", "n", "n"))
    assert "store to shared memory" in browser.text("#status")
    browser.press(*keys("ENTER"))
    assert browser.run(state)[0] == "operation"
    browser.run("document.querySelector('svg.request').focus()")
    browser.press(*keys("ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN"))
    assert re.fullmatch(r"lane 2: 4 bytes at shared memory \+ \d+", browser.text("#status"))
    browser.run("document.querySelectorAll('button.number')[0].focus()")
    browser.press(*keys("ARROW_DOWN", "ENTER"))
    assert browser.run(state)[0] in ("warp", "operation")
    assert browser.errors() == []


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(
    browser: Browser, pages: dict[str, Path], width: int
) -> None:
    for name in ("tile", "pair"):
        assert browser.open(pages[name], width, 844)
        for level in ("grid", "block", "warp", "operation"):
            browser.go(f"{{level: '{level}'}}")
            assert browser.run("return document.documentElement.scrollWidth") <= width, level
            assert browser.run("return document.querySelector('.lines').clientHeight") > 100
            assert browser.run("return document.querySelector('.body').clientHeight") > 200
    assert browser.errors() == []


def colours(browser: Browser) -> set[Any]:
    """The different colours of the canvas."""
    found = browser.run(
        "const canvas = document.querySelector('.scroller canvas');"
        "const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "const out = new Set(); for (let i = 0; i < data.length; i += 4)"
        " if (data[i + 3] === 255) out.add(data.slice(i, i + 3).join()); return [...out]"
    )
    return set(found)


def test_light_and_dark(browser: Browser, pages: dict[str, Path]) -> None:
    assert browser.open(pages["reduce"])
    light = colours(browser)
    assert len(light) > 3  # lights of several differences
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert browser.run(ground) == "rgb(255, 255, 255)"
    browser.run("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Theme')"
                ".click()")  # fmt: skip
    browser.go("{}")
    assert browser.run(ground) == "rgb(13, 17, 23)"
    assert colours(browser) != light


def test_it_asks_for_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    assert browser.open(pages["pair"])
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    assert browser.run("return location.protocol") == "file:"


def test_what_evicts_what(browser: Browser, tmp_path: Path) -> None:
    """The root causes are those of `perflint profile --cache-report`."""
    size = "random:f32[48,48]"
    launch = f"matmul<<<(3,3),(16,16)>>>(c=zeros:f32[48,48], a={size}, b={size}, n=48)"
    data = document(ROOT / "examples/matmul.cu", launch, cache={"sizes": (2048,)})
    path = tmp_path / "page.html"
    path.write_text(page([read(json.dumps(data))]), encoding="utf-8")
    assert browser.open(path)
    browser.go("{level: 'cache'}")
    report = data["profile"]["cache"]
    assert f"{report['hits']:,} hits of {report['accesses']:,} accesses" in browser.text(".summary")
    expected = [
        [str(cause["row"]), cause["array"], str(effect["row"]), effect["array"], fault["type"],
         f"{effect['faults']:,}"]
        for fault in report["faults"] for cause in fault["causes"] for effect in cause["effects"]
    ]  # fmt: skip
    browser.run("document.querySelector('.operation .astable').open = true")
    browser.driver.execute_async_script("setTimeout(arguments[0], 50)")
    rows = browser.run(
        "return [...document.querySelectorAll('.operation .astable tbody tr')].map((row) =>"
        " [...row.children].map((cell) => cell.textContent))"
    )
    assert expected and sorted(rows) == sorted([*e[:5], e[5].replace(",", "")] for e in expected)
    assert browser.run("return document.querySelectorAll('svg .flow').length") == len(expected)
    lines = browser.run(_CELLS)
    assert any(cells[1] for cells in lines.values())  # the other figures stand beside
    assert browser.errors() == []
