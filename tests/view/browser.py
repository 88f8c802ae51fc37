"""Chromium, driven by selenium."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Nothing of the browser's own reaches out or stays behind.
_FLAGS = (
    "headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
    "disable-background-networking", "disable-component-update", "disable-sync",
    "disable-dev-shm-usage",
)  # fmt: skip
_READY = """
const done = arguments[0];
const end = Date.now() + 60000;
const look = () => {
  const told = document.getElementById('fallback');
  const failed = told && !told.hidden && told.textContent.includes('cannot');
  if (window.perflint || failed || Date.now() > end) {
    requestAnimationFrame(() => requestAnimationFrame(() => done(Boolean(window.perflint))));
  } else setTimeout(look, 10);
};
look();
"""


class Browser:
    """What tests do with a page."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def size(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def open(self, path: Path, width: int = 1280, height: int = 900) -> bool:
        """Open a page from disk; whether its script came up."""
        self.size(width, height)
        self.driver.get_log("browser")
        self.driver.get(path.resolve().as_uri())
        return bool(self.driver.execute_async_script(_READY))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def go(self, change: str) -> None:
        """`{level: 'warp'}` in the first pane, and the frame that draws it."""
        self.run(f"perflint.app.panes[0].go({change})")
        self.frame()

    def frame(self) -> None:
        """Wait for the frame that draws what was changed."""
        self.driver.execute_async_script(
            "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
        )

    def move(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.driver.execute_cdp_cmd(
            "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}
        )

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def errors(self) -> list[str]:
        """What the console was told since the page was opened."""
        return [each["message"] for each in self.driver.get_log("browser")]


@contextmanager
def opened(binary: str, driver: str, profile: Path) -> Iterator[Browser]:
    """A browser with an empty profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = binary
    for flag in (*_FLAGS, f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    found.set_script_timeout(120)
    try:
        yield Browser(found)
    finally:
        found.quit()
