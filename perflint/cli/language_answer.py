"""What the process that checks an editor's texts answers."""

from __future__ import annotations

from typing import Any

NOTHING: dict[str, Any] = {"findings": None, "silent": {}}  #: of a text that was not checked
