"""What the helper functions of NVIDIA's samples tell of a program's words: `-width=640`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perflint.frontend.source.host.execution import text_functions
from perflint.frontend.source.host.execution.text_functions import UNKNOWN

ASKING = {
    "checkCmdLineFlag": "",
    "getCmdLineArgumentInt": "atoi",
    "getCmdLineArgumentFloat": "atof",
}


def asked(name: str, values: Sequence[Any]) -> Any:
    """What `checkCmdLineFlag(argc, argv, "width")`, or one that gives a number, returns."""
    words, key = (*values, UNKNOWN, UNKNOWN)[1:3]
    if not isinstance(words, list) or not isinstance(key, str) or UNKNOWN in words:
        return UNKNOWN
    parts = [word.lstrip("-").partition("=") for word in words[1:]]
    given = [value for word, _, value in parts if word.lower() == key.lower()]
    if name == "checkCmdLineFlag":
        return int(bool(given))
    return text_functions.called(ASKING[name], [given[-1] or "0"]) if given else 0
