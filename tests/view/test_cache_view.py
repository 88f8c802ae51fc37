"""The cache view: its root causes by set are those of a replay that is counted here by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perflint import load
from perflint.sim.cache import shaped
from perflint.sim.faults import KINDS, sort_faults
from perflint.sim.placement import Placement
from perflint.sim.replay import Conditions, replay
from perflint.sim.tracers.cache_recorder import CacheRecorder
from perflint.view.page_writer import page
from perflint.view.trace_reader import read
from tests.view.axe import fetched, inject, violations
from tests.view.browser import Browser
from tests.view.conftest import ROOT, document
from tests.view.test_interaction import CONTROLS, keys, tabbed

MATMUL = ROOT / "examples/matmul.cu"
SIZE = "random:f32[48,48]"
LAUNCH = f"matmul<<<(3,3),(16,16)>>>(c=zeros:f32[48,48], a={SIZE}, b={SIZE}, n=48)"
#: A few sets that are used alike, and many of one way, of which only some lose anything.
CACHES = {"even": {"sizes": (2048,)}, "direct": {"sizes": (16384,), "ways": 1}}
_TABLE = """
const details = [...document.querySelectorAll('.operation .astable')].find((each) =>
  each.querySelector('summary').textContent.startsWith(arguments[0]));
details.open = true; const done = arguments[1];
setTimeout(() => done([...details.querySelectorAll('tbody tr')].map((row) =>
  [...row.children].map((cell) => cell.textContent))), 30);
"""
_VIEW = "perflint.app.panes[0].views.cache"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Of each cache, the page and the report that `perflint profile` prints."""
    out = {}
    for name, cache in CACHES.items():
        data = document(MATMUL, LAUNCH, cache=cache)
        path = tmp_path_factory.mktemp("caches") / f"{name}.html"
        path.write_text(page([read(json.dumps(data))]), encoding="utf-8")
        out[name] = (path, data["profile"]["cache"])
    return out


def replayed(report: dict[str, Any]) -> tuple[Counter[Any], list[dict[str, int]]]:
    """(type, array that evicts, array that misses, set): faults; and each set's figures."""
    recorder = CacheRecorder()
    arrays = [np.zeros((48, 48), np.float32) for _ in "cab"]
    load(MATMUL)["matmul"].launch((3, 3), (16, 16), [*arrays, 48], tracers=[recorder])
    trace, told = recorder.trace, report["cache"]
    # the L1's lines have four sectors on sm_80
    cache = shaped(told["size"], ways=told["ways"], sector=32)
    resident, order = report["resident_blocks"], report["scheduler"]
    run = replay(trace, Conditions(cache, order, Placement(), resident))
    faults, accesses = sort_faults(run), trace.accesses(32)
    region = accesses.region[run.access]
    address = Placement().bases(trace)[region] + accesses.piece[run.access] * 32
    sets = address // cache.line % told["sets"]
    pairs: Counter[Any] = Counter()
    for kind in KINDS:
        for i in np.flatnonzero(faults.of(kind)).tolist():
            root = trace.names[int(region[run.root[i]])]
            pairs[kind, root, trace.names[int(region[i])], int(sets[i])] += 1
    rows = []
    for number in range(told["sets"]):
        mine = run.counted & (sets == number)
        counts = {kind: int((mine & faults.of(kind)).sum()) for kind in KINDS}
        rows.append(
            {"accesses": int(mine.sum()), "cold": int((mine & faults.cold).sum()), **counts}
        )
    return pairs, rows


def shown(browser: Browser) -> Counter[Any]:
    """(type, array that evicts, array that misses): what the page's table says of the choice."""
    out: Counter[Any] = Counter()
    for row in browser.driver.execute_async_script(_TABLE, "Evictions"):
        out[row[4], row[1], row[3]] += int(row[5])
    return out


@pytest.mark.parametrize("name", CACHES)
def test_root_causes_are_the_replays_set_by_set(
    browser: Browser, reports: dict[str, tuple[Path, dict[str, Any]]], name: str
) -> None:
    path, report = reports[name]
    pairs, rows = replayed(report)
    assert browser.open(path)
    browser.go("{level: 'cache'}")
    everything: Counter[Any] = Counter()
    for (kind, root, missed, _), count in pairs.items():
        everything[kind, root, missed] += count
    assert everything and shown(browser) == everything
    table = browser.driver.execute_async_script(_TABLE, "Sets")
    losing = [n for n, row in enumerate(rows) if any(row[kind] for kind in KINDS)]
    assert (len(losing) < len(rows)) == (name == "direct")
    for number, row in enumerate(rows):
        figures = [row[key] for key in ("accesses", "cold", "mh", "m*h", "mm")]
        said = [int(cell) for cell in table[number][:-1]]
        assert said == [number, row["accesses"], row["accesses"] - sum(figures[1:]), *figures[1:]]
    for number in [*losing[:6], losing[-1], 0]:
        browser.run(f"{_VIEW}.choose({number})")
        mine = {key[:3]: n for key, n in pairs.items() if key[3] == number}
        assert shown(browser) == mine, number
        lines = browser.run("return document.querySelectorAll('svg .flow').length")
        assert (lines > 0) == bool(mine)
    assert browser.errors() == []


def test_the_picture_of_the_sets(
    browser: Browser, reports: dict[str, tuple[Path, dict[str, Any]]]
) -> None:
    """Bars are as high as misses are many; hover tells them; the keyboard chooses."""
    path, report = reports["direct"]
    assert browser.open(path)
    browser.go("{level: 'cache'}")
    heights = browser.run(
        "return [...document.querySelectorAll('svg .set')].map((set) => [...set.querySelectorAll("
        "'rect[fill]')].reduce((n, bar) => n + Number(bar.getAttribute('height')), 0))"
    )
    misses = [sum(row[kind] for kind in KINDS) for row in report["sets"]]
    assert heights == [pytest.approx(90 * n / max(misses)) for n in misses]
    worst = misses.index(max(misses))
    x, y = browser.run(
        "const box = document.querySelectorAll('svg .set')[arguments[0]].querySelector('.ground')"
        ".getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]",
        worst,
    )
    browser.move(x, y)
    row = report["sets"][worst]
    arrays = row["lines"].items()
    (first, n), *rest = arrays
    noun = "line" if n == 1 else "lines"
    lines = ", ".join([f"{n} {noun} of {first}", *(f"{n} of {name}" for name, n in rest)])
    kinds = ", ".join(f"{row[kind]:,} {kind}" for kind in ("mm", "m*h", "mh") if row[kind])
    told = (
        f"Set {worst}: {misses[worst]:,} misses ({kinds}), {row['hits']:,} hits of "
        f"{row['accesses']:,} accesses, {row['cold']:,} cold; {lines} for 1 way"
    )
    assert browser.text("#tip") == told
    browser.run("document.querySelector('svg.sets').focus()")
    browser.press(*keys("HOME", "ARROW_RIGHT", "ARROW_RIGHT"))
    assert browser.run(f"return {_VIEW}.chosen") == 2
    assert browser.text("#status").startswith("Set 2: ")
    browser.press(*keys("END", "ARROW_LEFT"))
    assert browser.run(f"return {_VIEW}.chosen") == len(misses) - 2
    browser.press(*keys("ESCAPE"))
    assert browser.run(f"return {_VIEW}.chosen") is None
    browser.run("document.querySelector('svg.request:not(.sets)').focus()")
    browser.press(*keys("ARROW_DOWN"))
    most = max(
        effect["faults"]
        for fault in report["faults"] for cause in fault["causes"] for effect in cause["effects"]
    )  # fmt: skip
    assert f"then misses: {most:,} times" in browser.text("#status")
    assert browser.errors() == []


def test_the_other_figures_stand_beside(
    browser: Browser, reports: dict[str, tuple[Path, dict[str, Any]]]
) -> None:
    path, report = reports["even"]
    assert browser.open(path)
    browser.go("{level: 'cache'}")
    assert f"{report['hits']:,} hits of {report['accesses']:,} accesses" in browser.text(".summary")
    assert browser.run(
        "return [...document.querySelectorAll('.source td.served')].some((c) => c.textContent)"
    )


def test_tab_reaches_every_control_of_the_cache(
    browser: Browser, reports: dict[str, tuple[Path, dict[str, Any]]]
) -> None:
    assert browser.open(reports["direct"][0])
    browser.go("{level: 'cache'}")
    wanted = browser.run(CONTROLS)
    assert tabbed(browser, len(wanted)) == wanted
    sets, flows = browser.run(
        "const all = [...document.querySelectorAll('*')];"
        "return ['svg.sets', 'svg.request:not(.sets)'].map((each) =>"
        " all.indexOf(document.querySelector(each)))"
    )
    assert {sets, flows} < set(wanted)


def test_axe_finds_nothing_in_the_cache(
    browser: Browser,
    reports: dict[str, tuple[Path, dict[str, Any]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    axe = fetched(tmp_path_factory.mktemp("axe"))
    for name, width in (("direct", 1280), ("direct", 390), ("even", 390)):
        assert browser.open(reports[name][0], width, 900)
        inject(browser, axe)
        for theme in ("light", "dark"):
            browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
            browser.go("{level: 'cache'}")
            assert browser.run("return document.documentElement.scrollWidth") <= width
            assert violations(browser) == [], (name, width, theme)
