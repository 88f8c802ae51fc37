"""What a page does with names, traces and browsers that are not as they should be."""

from __future__ import annotations

import base64
import copy
import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from perflint.view.page_writer import page
from perflint.view.trace_reader import Trace, TraceError, read
from tests.view.axe import fetched, inject, violations
from tests.view.browser import Browser

SCRIPT = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
RIGHT_TO_LEFT = "\u202egnp.tca\u2066\u200f"


def named(trace: Trace, name: str) -> dict[str, Any]:
    """The trace's document with a name wherever one can stand."""
    data = json.loads(json.dumps(trace.data))
    data["profile"]["kernel"] = name
    data["profile"]["launch"] = f"{name}<<<1, 1>>>()"
    for source in data["sources"]:
        source["lines"] = [name if i % 9 == 0 else line for i, line in enumerate(source["lines"])]
    for row in data["profile"]["lines"]:
        row["filename"] = name
    for source in data["sources"]:
        source["name"] = name
    for region in data["regions"]:
        region["name"] = name
    for instruction in data["instructions"]:
        instruction["text"] += f" // {name[:2000]}"
    data["findings"] = [
        {"code": name[:99], "level": "warning", "message": name, "filename": name, "row": 22,
         "evidence": [name]}
    ]  # fmt: skip
    data["traced"]["notes"] = [name]
    return data


@pytest.mark.parametrize(
    "name", [SCRIPT, RIGHT_TO_LEFT, "a" * 1_000_000, "<b>" * 1000, "]]>-->\0\x1b[31m\ud800"]
)
def test_names_are_only_text(
    browser: Browser, traces: dict[str, Trace], tmp_path: Path, name: str
) -> None:
    trace = read(json.dumps(named(traces["naive"], name)))
    text = page([trace])
    body = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "<img" not in body and "\u202e" not in text and "\x1b" not in text
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    assert browser.open(path)
    for level in ("grid", "block", "warp", "operation"):
        browser.go(f"{{level: '{level}'}}")
        assert browser.run("return document.documentElement.scrollWidth") <= 1280
    assert browser.run("return window.hacked === undefined && !document.querySelector('img')")
    assert browser.errors() == []


def test_a_page_allows_only_its_own_script(pages: dict[str, Path]) -> None:
    text = pages["naive"].read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy and policy[1].startswith("default-src 'none'; ")
    script = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", text, flags=re.DOTALL)
    for [content] in (script, style):
        digest = base64.b64encode(sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]
    markup = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"<[^>]*\s(on\w+|style)=", markup)
    assert "unsafe" not in policy[1] and "http:" not in markup and "https:" not in markup


_NO_STREAMS = "delete window.DecompressionStream;"
_NO_CANVAS = "HTMLCanvasElement.prototype.getContext = () => null;"


@pytest.mark.parametrize(
    ("without", "said"), [(_NO_STREAMS, "no DecompressionStream"), (_NO_CANVAS, "no canvas")]
)
def test_a_browser_that_lacks_something_shows_tables_and_pictures(
    browser: Browser, pages: dict[str, Path], without: str, said: str
) -> None:
    add = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": without}
    )
    try:
        assert not browser.open(pages["naive"])
        assert said in browser.text("#fallback")
        assert "18.0 (4.0)" in browser.text("#static .source")
        assert browser.run("return document.querySelectorAll('#static svg').length") >= 1
        assert browser.run("return document.querySelector('#static svg').getBoundingClientRect()"
                           ".height > 300")  # fmt: skip
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", add)


def broken(trace: Trace, change: str) -> Trace:
    data = copy.deepcopy(dict(trace.data))
    if change == "version":
        data["version"] = 99
    elif change == "cut":
        data["requests"]["offset"] = data["requests"]["offset"][:40]
    else:
        data["requests"]["count"] += 1
    return replace(trace, data=data)


@pytest.mark.parametrize("change", ["version", "cut", "count"])
def test_a_page_with_a_wrong_trace_says_so(
    browser: Browser, traces: dict[str, Trace], tmp_path: Path, change: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(page([broken(traces["naive"], change)]), encoding="utf-8")
    assert not browser.open(path)
    assert browser.text("#fallback").startswith("The pictures cannot be shown: ")
    assert "18.0 (4.0)" in browser.text("#static .source")


@pytest.mark.parametrize("change", ["version", "cut", "count"])
def test_the_reader_refuses_a_wrong_trace(traces: dict[str, Trace], change: str) -> None:
    with pytest.raises(TraceError):
        read(json.dumps(broken(traces["naive"], change).data))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("traced", "blocks"), 1 << 40), (("traced", "blocks"), -1), (("warps_per_block",), "8"),
        (("paths", "count"), 0), (("paths", "parent"), 7), (("patterns", "count"), 1 << 31),
        (("sources",), [{"name": 3, "lines": []}]), (("sources",), None), (("grid",), [1]),
        (("instructions",), []), (("regions",), []), (("requests",), {}), (("profile",), []),
        (("streams",), [{"instruction": 0, "space": "local", "kind": "load", "size": 4,
                         "count": 0}]),
    ],
)  # fmt: skip
def test_the_reader_refuses_what_cannot_be(
    traces: dict[str, Trace], path: tuple[str, ...], value: Any
) -> None:
    data = json.loads(json.dumps(traces["naive"].data))
    at = data
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    with pytest.raises(TraceError):
        read(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"format": "other"}'])
def test_the_reader_refuses_other_texts(text: str) -> None:
    with pytest.raises(TraceError):
        read(text)


def test_axe_finds_nothing(
    browser: Browser, pages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    axe = fetched(tmp_path_factory.mktemp("axe"))
    for name, width in (("reduce", 1280), ("tile", 390), ("pair", 1280)):
        assert browser.open(pages[name], width, 900)
        inject(browser, axe)
        for theme in ("light", "dark"):
            browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
            for level in ("grid", "block", "warp", "operation"):
                browser.go(f"{{level: '{level}'}}")
                assert violations(browser) == [], (name, theme, level)
