"""Pointer, keyboard, widths and themes: what people do with a page, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint.view.trace_reader import Trace
from tests.view.browser import Browser
from tests.view.equations import lights, operations


def test_hover_is_right_at_random_points(
    browser: Browser, pages: dict[str, Path], traces: dict[str, Trace]
) -> None:
    """Lanes and bytes of 200 pieces of random requests, as the trace has them."""
    random = np.random.default_rng(11)
    points = 0
    for name, times in (("naive", 8), ("tile", 8), ("gather", 12), ("copy", 12)):
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
                    "const svg = [...document.querySelectorAll('svg.request')].find((each) =>"
                    " each.getAttribute('aria-label').includes(` ${arguments[2]}, `));"
                    "const each = svg.querySelector(`.${arguments[0]}.l${arguments[1]}`);"
                    " each.scrollIntoView({block: 'center',"
                    " inline: 'center'}); const box = each.getBoundingClientRect();"
                    "return [box.x + box.width / 2, box.y + box.height / 2]",
                    "piece" if stream.space == "global" or points % 2 else "lane",
                    lane,
                    array,
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


#: What a pointer can use; canvases and pictures are in boxes that the keyboard uses in their stead.
CONTROLS = """
return [...document.querySelectorAll('button, input, select, summary, a[href], [tabindex]')]
  .filter((each) => each.tabIndex >= 0 && each.checkVisibility({visibilityProperty: true}))
  .map((each) => [...document.querySelectorAll('*')].indexOf(each));
"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("level", ["grid", "block", "warp", "operation"])
def test_tab_reaches_every_control(
    browser: Browser, pages: dict[str, Path], level: str, width: int
) -> None:
    assert browser.open(pages["pair"], width)
    browser.go(f"{{level: '{level}'}}")
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    browser.driver.execute_async_script("requestAnimationFrame(arguments[0])")
    wanted = browser.run(CONTROLS)
    assert len(wanted) == len(set(wanted)) > 30
    assert tabbed(browser, len(wanted)) == wanted


def tabbed(browser: Browser, times: int) -> list[int]:
    """The elements that the Tab key goes to, one after the other, from the page's beginning."""
    from selenium.webdriver.common.action_chains import ActionChains

    browser.run(
        "document.activeElement.blur(); window.reached = [];"
        "document.addEventListener('focusin', (event) => window.reached.push("
        "[...document.querySelectorAll('*')].indexOf(event.target)))"
    )
    chain = ActionChains(browser.driver)
    for key in keys("TAB") * times:
        chain.send_keys(key)
    chain.perform()
    found: list[int] = browser.run("return window.reached")
    return found


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
