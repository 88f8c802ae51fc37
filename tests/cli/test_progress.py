"""The bar on a terminal: after a moment, with the file and kernel at work, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from perflint.cli import output
from perflint.lint.options import silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal. No fixture: pytest sets the stream anew before the test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return stream


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with output.progress(quiet=False) as shown:
        shown(0, 2, "a.cu")
        shown(1, 2, "b.cu")
    assert terminal.getvalue() == ""


def test_a_longer_one_tells_the_kernel_in_work(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    monkeypatch.setattr(output, "_PAUSE", 0.0)
    with output.progress(quiet=False) as shown:
        shown(3, 12, "a.cu: scale<float>[bold]")
        assert "3/12" in terminal.getvalue()
        assert "a.cu: scale<float>[bold]" in terminal.getvalue()  # not taken for markup
        before = len(terminal.getvalue())
        shown(4, 12, "")  # still the same
        assert "a.cu: scale" in terminal.getvalue()[before:]
        shown(5, 12, "odd\x1b[2J\nname")
        assert "\x1b[2J" not in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the line is wiped


@pytest.mark.parametrize("quiet", [True, False])
def test_no_terminal_no_bar(quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal() if quiet else io.StringIO())
    with output.progress(quiet=quiet) as shown:
        assert shown is silent
