"""Pictures of every view at both widths and in both themes, beside those that were looked at.

Texts are left out, so that a machine with other fonts draws the same. PERFLINT_UPDATE_SNAPSHOTS=1
writes the pictures anew.
"""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from perflint.view.trace_reader import Trace
from tests.view.browser import Browser

SNAPSHOTS = Path(__file__).parent / "snapshots"
#: Name: page, what is looked at, theme.
VIEWS = {
    "grid": ("reduce", "{level: 'grid', block0: 7, block: 2}", "light"),
    "block": ("reduce", "{level: 'block', block: 2, warp: 1, warp0: 0}", "dark"),
    "warp": ("tile", "{level: 'warp', step: 0, memoryOnly: true}", "light"),
    "load": ("gather", "{level: 'operation', block: 1, warp: 1}", "dark"),
    "conflict": ("tile", "{level: 'operation'}", "light"),
}
CANVAS = ("grid", "block", "warp")
WIDTHS = (1280, 390)
_TALL = 200  #: rows of a canvas that are compared: windows with other fonts leave less or more
_FAR, _SHARE = 48, 0.001  #: how far a channel may be, and of how many pixels it may be further
_SILENT = "CanvasRenderingContext2D.prototype.fillText = () => {};"


@pytest.fixture(scope="module")
def silent(browser: Browser) -> Iterator[Browser]:
    """A browser that draws no texts on a canvas."""
    add = browser.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": _SILENT}
    )
    yield browser
    browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", add)


def taken(browser: Browser, path: Path, name: str, width: int) -> np.ndarray:
    """A view of a page, (height, width, 3) uint8."""
    _, change, theme = VIEWS[name]
    assert browser.open(path, width, 1700)
    browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
    browser.go(change)
    if name in CANVAS:
        url = browser.run("return document.querySelector('.scroller canvas').toDataURL()")
        return decoded(url.partition(",")[2], theme)[:_TALL]
    box = browser.run(
        "for (const each of document.querySelectorAll('svg text')) each.style.display = 'none';"
        "const svg = document.querySelector('svg.request'); svg.scrollIntoView();"
        "const box = svg.getBoundingClientRect(), around = svg.parentElement.clientWidth;"
        "return {x: Math.ceil(box.x + scrollX), y: Math.ceil(box.y + scrollY), scale: 1,"
        " width: Math.floor(Math.min(box.width, around)) - 1, height: Math.floor(box.height) - 1}"
    )
    shot = browser.driver.execute_cdp_cmd(
        "Page.captureScreenshot", {"clip": box, "captureBeyondViewport": True}
    )
    return decoded(shot["data"], theme)


def decoded(picture: str, theme: str) -> np.ndarray:
    """A PNG in base64, on the theme's ground."""
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white" if theme == "light" else "#0d1117")
    return np.asarray(Image.alpha_composite(ground, image).convert("RGB"))


def alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two pictures show the same, but for edges that are smoothed otherwise."""
    if abs(a.shape[0] - b.shape[0]) > 1 or abs(a.shape[1] - b.shape[1]) > 1:
        return False
    tall, wide = min(a.shape[0], b.shape[0]), min(a.shape[1], b.shape[1])
    apart = np.abs(a[:tall, :wide].astype(int) - b[:tall, :wide]).max(axis=2) > _FAR
    return bool(apart.mean() <= _SHARE)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_as_it_was_looked_at(
    silent: Browser, pages: dict[str, Path], tmp_path: Path, name: str, width: int
) -> None:
    from PIL import Image

    found = taken(silent, pages[VIEWS[name][0]], name, width)
    stored = SNAPSHOTS / f"{name}-{width}.png"
    if os.environ.get("PERFLINT_UPDATE_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        Image.fromarray(found).quantize(256, kmeans=2).save(stored, optimize=True)
    expected = np.asarray(Image.open(stored).convert("RGB"))
    if not alike(found, expected):
        Image.fromarray(found).save(tmp_path / stored.name)
        pytest.fail(f"{tmp_path / stored.name} shows something else than {stored}")


def test_what_is_drawn_wrong_is_noticed(
    silent: Browser, pages: dict[str, Path], traces: dict[str, Trace]
) -> None:
    """Another representative, another step, another warp: no picture is like the one stored."""
    from PIL import Image

    for name, other in (
        ("grid", "{block0: 0}"), ("block", "{warp0: 1}"), ("warp", "{memoryOnly: false}")
    ):  # fmt: skip
        taken(silent, pages[VIEWS[name][0]], name, 1280)
        silent.go(other)
        url = silent.run("return document.querySelector('.scroller canvas').toDataURL()")
        changed = decoded(url.partition(",")[2], VIEWS[name][2])[:_TALL]
        stored = Image.open(SNAPSHOTS / f"{name}-1280.png").convert("RGB")
        assert not alike(changed, np.asarray(stored)), name
