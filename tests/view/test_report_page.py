"""The report of findings in a browser: its filter, both widths, the keyboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from perflint.lint.findings import Result
from perflint.report import html, load
from tests.report.cases import RESULTS, STORE, context
from tests.report.test_html import evil
from tests.view.axe import fetched, inject, violations
from tests.view.browser import Browser

SHOWN = "return [...document.querySelectorAll('article')].filter(a => a.checkVisibility()).length"


@pytest.fixture
def report(browser: Browser, tmp_path: Path) -> Browser:
    """Four findings of three rules, opened from disk."""
    other = replace(STORE, kernel="tiled", message="store to tile")
    found = Result((*RESULTS["many"].findings, other), RESULTS["many"].unanalysed, 3, 4)
    return shown(browser, tmp_path / "report.html", found)


def shown(browser: Browser, path: Path, result: Result) -> Browser:
    path.write_text(load("html")(result, context()), encoding="utf-8")
    browser.size(1280, 900)
    browser.driver.get_log("browser")
    browser.driver.get(path.as_uri())
    return browser


def test_the_filter(report: Browser) -> None:
    assert report.run(SHOWN) == 5
    for field, value, left in (
        ("words", "TILED store", 1),
        ("words", "nothing like it", 0),
        ("words", "", 5),
        ("rule", "CU101", 3),
        ("level", "note", 1),
        ("rule", "", 1),
        ("level", "", 5),
    ):
        report.run(
            "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
            "field.dispatchEvent(new Event('input'))",
            field,
            value,
        )
        assert report.run(SHOWN) == left, (field, value)
        assert report.run("return document.getElementById('shown').textContent") == f"{left} of 5"
    assert not report.driver.get_log("browser")


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(report: Browser, width: int) -> None:
    report.size(width, 900)
    wide = report.run("return document.documentElement.scrollWidth")
    assert wide <= width


def test_the_keyboard_reaches_all(report: Browser) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    wanted = report.run(
        "return document.querySelectorAll('a[href], input, select, summary, [tabindex]').length"
    )
    reached = set()
    for _ in range(wanted):
        ActionChains(report.driver).send_keys(Keys.TAB).perform()
        reached.add(report.run(
            "return [...document.querySelectorAll('*')].indexOf(document.activeElement)"
        ))  # fmt: skip
    assert len(reached) == wanted


def test_strangers_run_nothing(browser: Browser, tmp_path: Path) -> None:
    page = shown(browser, tmp_path / "evil.html", evil())
    assert page.run(SHOWN) == 2
    assert page.run("return document.querySelectorAll('img, script').length") == 1
    assert not page.driver.get_log("browser")


def test_packed_pictures_are_drawn_when_looked_at(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those that lie in the page otherwise; a stranger's name in one is text."""
    drawn = "return [...document.querySelectorAll('.scroll')].map((box) => box.innerHTML)"
    result = Result((*RESULTS["many"].findings, *evil().findings), (), 3, 4)
    monkeypatch.setattr(html, "PLAIN_PICTURES", 100)
    expected = shown(browser, tmp_path / "plain.html", result).run(drawn)
    monkeypatch.setattr(html, "PLAIN_PICTURES", 2)
    page = shown(browser, tmp_path / "packed.html", result)
    page.run("for (const each of document.querySelectorAll('details')) each.open = false")
    page.driver.execute_async_script("setTimeout(arguments[0], 100)")
    before = page.run(drawn)
    assert before[:2] == expected[:2]
    page.run("for (const each of document.querySelectorAll('details')) each.open = true")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert page.run(drawn) == expected and len(expected) >= 4
    assert page.run("return document.querySelectorAll('img').length") == 0
    assert not page.driver.get_log("browser")


def test_without_streams_a_packed_picture_says_so(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "PLAIN_PICTURES", 0)
    add = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.DecompressionStream"}
    )
    try:
        page = shown(browser, tmp_path / "packed.html", Result((STORE,), (), 1, 1))
        page.run("for (const each of document.querySelectorAll('details')) each.open = true")
        page.driver.execute_async_script("setTimeout(arguments[0], 100)")
        assert page.text(".scroll").startswith("The picture cannot be drawn: ")
        assert not page.driver.get_log("browser")
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", add)


def test_axe_finds_nothing(report: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    inject(report, fetched(tmp_path_factory.mktemp("axe")))
    for width in (390, 1280):
        report.size(width, 900)
        for theme in ("light", "dark"):
            report.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": theme}]},
            )
            assert violations(report) == [], (width, theme)
