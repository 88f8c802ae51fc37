"""Deque's axe-core, from npm's registry, for as long as a test runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.view.browser import Browser


def fetched(folder: Path) -> str:
    """Its source. Skips the test where npm has none."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm to get axe-core with")
    got = subprocess.run(
        [npm, "install", "--silent", "--no-save", "--prefix", str(folder), "axe-core@4"],
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    source = folder / "node_modules/axe-core/axe.min.js"
    if got.returncode or not source.is_file():
        pytest.skip("npm has no axe-core for us here")
    return source.read_text(encoding="utf-8")


def inject(browser: Browser, axe: str) -> None:
    """Bring it into a page through the debugger: the page's policy lets no other script in."""
    browser.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})


def violations(browser: Browser) -> list[str]:
    """What it finds in the page as it is, all details open."""
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    found: list[str] = browser.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then((r) => done(r.violations.map((v) =>"
        " `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 150) +"
        " (n.failureSummary || '').slice(0, 300)).join(' | ')}`)))"
    )
    return found
