"""Commands that simulate nothing import nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from perflint.work import pipeline

HEAVY = (
    *("z3", "numpy", "lark", "tree_sitter", "tree_sitter_cuda", "pycparser"),
    *(
        "sarif_om",
        "rich",
        "pathspec",
        "diskcache",
        "perflint.work.pipeline",
        "perflint.rules.protocol",
    ),
    *("perflint.frontend", "perflint.grammar", "perflint.sim", "perflint.analysis"),
)

SCRIPT = """
import json, sys
from perflint.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(*arguments: str) -> tuple[str, set[str]]:
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True
    )
    return process.stdout, set(json.loads(process.stderr))


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (("--version",), "perflint "),
        (("rule", "CU101"), "CU101 uncoalesced-global-access\n"),
        (("rule",), "CU001 "),
        (("rule", "--all", "--output-format", "json"), "[\n"),
        (("--help",), "Usage: perflint"),
        (("cache", "dir"), ""),
        (("check", "--help"), "Usage: perflint check"),
    ],
)
def test_nothing_heavy_is_imported(arguments: tuple[str, ...], beginning: str) -> None:
    out, modules = modules_after(*arguments)
    assert out.startswith(beginning)
    assert not modules & set(HEAVY)
    assert not [name for name in modules if name.startswith(("nvidia", "perflint.rules."))]


def test_the_version_needs_no_click() -> None:
    assert "click" not in modules_after("--version")[1]


@pytest.mark.parametrize(("given", "meanwhile"), [(None, "1"), ("4", "4")])
def test_blas_has_one_thread_and_programs_hear_nothing_of_it(
    given: str | None, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    with pipeline._one_thread():
        assert os.environ["OPENBLAS_NUM_THREADS"] == meanwhile
    assert os.environ.get("OPENBLAS_NUM_THREADS") == given


LEFT = """
import atexit, sys, threading, time
from perflint.__main__ import main
atexit.register(print, "at the end")
if sys.argv.pop() == "thread":
    threading.Thread(target=lambda: (time.sleep(0.2), print("from a thread"))).start()
main()
"""


@pytest.mark.parametrize(
    ("arguments", "status", "behind"),
    [
        (("--version", ""), 0, ["at the end"]),
        (("--version", "thread"), 0, ["from a thread", "at the end"]),
        (("no-such-command", ""), 2, ["at the end"]),
    ],
)
def test_a_command_ends_with_its_status_and_what_others_left_to_do(
    arguments: tuple[str, ...], status: int, behind: list[str]
) -> None:
    process = subprocess.run(
        [sys.executable, "-c", LEFT, *arguments], capture_output=True, text=True, check=False
    )
    assert process.returncode == status, process.stderr
    assert process.stdout.splitlines()[-len(behind) :] == behind
