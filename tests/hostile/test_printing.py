"""No line that is printed gives a CI's runner an order, whatever it is made of."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from perflint.base import streams
from perflint.lint.findings import Result
from perflint.report.markdown import escaped
from tests.cli.conftest import Outcome, Pipeline, finding

Run = Callable[..., Outcome]
ORDERS = re.compile(
    r"##\[|##vso\[|^\s*::(?:error|set-env|add-path|warning|stop-commands)\b.*::", re.I | re.M
)
EVIL = "##[add-path]/evil ##vso[task.setvariable variable=x]y ##VSO[a]b"
TEXTS = ("full", "concise", "markdown", "html")
DATA = ("json", "json-lines", "sarif", "gitlab", "rdjson")


@pytest.mark.parametrize("name", [*TEXTS, *DATA, "junit", "github"])
def test_reports(name: str, run: Run, tree: Path, pipeline: Pipeline) -> None:
    folder = f"##[group]{name}"
    (tree / folder).mkdir()
    path = f"{folder}/##vso[x]a.cu"
    (tree / path).write_text(f"// {EVIL}\n::error::x\n// {EVIL}\n// {EVIL}\n")
    found = replace(
        finding(path=path), message=EVIL, label=EVIL, help=EVIL, notes=(EVIL,), witness=EVIL
    )
    pipeline.result = Result((found,), (), 1, 1, remarks=(EVIL,))
    outcome = run("--output-format", name, ".")
    lines = outcome.out.splitlines()
    if name == "github":
        assert all(line.startswith("::warning ") for line in lines)
        lines = [line.removeprefix("::warning ") for line in lines]
    assert lines and not ORDERS.search("\n".join(lines)), outcome.out
    assert not ORDERS.search(outcome.err)
    if name in DATA:  # the data is what it was
        texts = outcome.out.splitlines() if name == "json-lines" else [outcome.out]
        assert EVIL in json.dumps([json.loads(text) for text in texts])
    if name == "junit":
        assert ElementTree.fromstring(outcome.out).tag == "testsuites"


def test_what_else_is_printed(run: Run, tree: Path) -> None:
    """Warnings of discovery, errors of use, stale entries, other commands."""
    name = "##[error]x"
    (tree / name).mkdir()
    (tree / "b.cu").write_text(f"__global__ void {'k'}2(float *a) {{ a[0] = 1; }} // {EVIL}\n")
    entry = dict.fromkeys(("code", "kernel", "message", "id"), EVIL) | {"path": "b.cu"}
    (tree / "base.json").write_text(json.dumps({"perflint-baseline": 1, "findings": [entry]}))
    for arguments in (
        (name,),
        (f"{name}/none.cu",),
        ("--arch", EVIL, "a.cu"),
        ("--select", EVIL, "a.cu"),
        (f"--{EVIL}",),
        ("--launch", f"{EVIL}<<<1,1>>>", "a.cu"),
        ("--baseline", "base.json", "."),
        ("rule", EVIL),
        ("why", EVIL),
        ("profile", EVIL),
        ("--diff-base", EVIL, "a.cu"),
    ):
        outcome = run(*arguments)
        assert outcome.out + outcome.err
        assert not ORDERS.search(outcome.out) and not ORDERS.search(outcome.err), arguments


@pytest.mark.parametrize(
    "pieces",
    [("##", "[error]x"), ("#", "#", "[", "x"), ("a ##vs", "o[x]"), ("::", "error::x"),
     ("\n  ::err", "or file=a::x\n"), ("x\n", "::set-env name=a::b\n"), ("#" * 300, "[a]")],
)  # fmt: skip
def test_an_order_in_pieces(pieces: tuple[str, ...]) -> None:
    inner = StringIO()
    guard = streams.Guarded(inner)
    for piece in pieces:
        guard.write(piece)
    assert not ORDERS.search(inner.getvalue())
    assert 0 <= len(inner.getvalue()) - sum(map(len, pieces)) <= 1


def test_code_stays_what_it_is() -> None:
    text = "::std::sort(a, b);\n #define A(x) x##x[0]\n a::b::c\n  ::error_of(x);\n"
    assert streams.defused(text) == text.replace("##[", "#\ufffd[")


def test_streams_are_put_back() -> None:
    before = sys.stdout
    with streams.guarded():
        assert sys.stdout is not before
    assert sys.stdout is before


@pytest.mark.parametrize(
    "text",
    ["@octocat", "a@b.example", "https://evil.example", "www.evil.example", "fixes #12",
     "ftp://x", "mailto:a@b"],
)  # fmt: skip
def test_markdown_names_nobody_and_no_address(text: str) -> None:
    assert not re.search(r"@\w|://|www\.|#\d|mailto:\w", escaped(text))


def test_a_newline_in_a_name(run: Run, tree: Path) -> None:
    (tree / "a.cu").rename(tree / "x\n::error::y.cu")
    for name in TEXTS:
        outcome = run("--output-format", name, ".")
        assert "CU101" in outcome.out and outcome.status == 1
        assert not ORDERS.search(outcome.out)
    assert '"row": 1' in run("--output-format", "json", ".").out
