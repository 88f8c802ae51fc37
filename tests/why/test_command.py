"""`perflint why`: its screens, its JSON, what it refuses, and `check --explain-silence`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from perflint.cli.commands import cli

CASES = Path(__file__).parent / "cases"
SCREEN = 40  #: lines

_TEXT = {"type": "string"}
_OR_NONE = {"type": ["string", "null"]}
_SAMPLE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["world", "measured", "ideal", "bad", "share", "full_warps", "complete"],
    "properties": {
        "world": _TEXT,
        "measured": {"type": "number"},
        "ideal": {"type": "number"},
        "bad": {"type": "boolean"},
        "share": {"type": "number"},
        "full_warps": {"type": "boolean"},
        "complete": {"type": "boolean"},
    },
}
_ANSWER = {
    "type": "object",
    "required": ["launch", "verdict", "objection", "reason", "proved", "measured", "not_reached"],
    "properties": {
        "launch": {"type": "integer", "minimum": 0},
        "verdict": {"enum": ["confirmed", "undecided", "refuted"]},
        "objection": _OR_NONE,
        "measured": {"type": "array", "items": _SAMPLE},
        "formula": {"type": "array", "items": _SAMPLE},
    },
}
_SUSPICION = {
    "type": "object",
    "required": ["code", "name", "about", "filename", "location", "rows", "verdict", "told"],
    "properties": {
        "code": {"pattern": "^CU[0-9]{3}$"},
        "verdict": {"enum": ["confirmed", "undecided", "refuted"]},
        "told": {"enum": [None, "warning", "note", "related", "left"]},
        "objection": _OR_NONE,
        "reason": _TEXT,
        "summary": {"type": "string", "pattern": r"^[^\n]+$"},
        "answers": {"type": "array", "items": _ANSWER},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["filename", "row", "kernel", "notes", "unanalysed", "kernels"],
    "properties": {
        "filename": _TEXT,
        "row": {"type": ["integer", "null"]},
        "kernel": _OR_NONE,
        "notes": {"type": "array", "items": _TEXT},
        "unanalysed": {"type": "array"},
        "kernels": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kernel", "launches", "suspicions", "accesses", "rules", "reason"],
                "properties": {
                    "launches": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["launch", "filename", "row", "assumed", "worlds"],
                        },
                    },
                    "suspicions": {"type": "array", "items": _SUSPICION},
                    "accesses": {
                        "type": "array",
                        "items": {"type": "object", "required": ["about", "not_suspected"]},
                    },
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("why") / "cases"
    shutil.copytree(CASES, where)
    return where


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def run(*arguments: str) -> Result:
    found = CliRunner().invoke(cli, ["why", *arguments], standalone_mode=False)
    assert found.exception is None, found.exception
    return found


def said(*arguments: str) -> str:
    return run(*arguments).stdout


def refused(*arguments: str) -> str:
    """The line that a wrong use ends with; its status is 2."""
    found = CliRunner().invoke(cli, ["why", *arguments])
    assert found.exit_code == 2
    assert found.stdout == ""
    [line] = found.stderr.splitlines()
    return line


def line_of(file: str, text: str) -> int:
    lines = Path(file).read_text().splitlines()
    [found] = [number for number, line in enumerate(lines, 1) if text in line]
    return found


# --- a line ---------------------------------------------------------------------------------------


def test_a_line_with_a_finding() -> None:
    page = said(f"objections.cu:{line_of('objections.cu', '32 sectors')}")
    assert (
        "In the kernel `bad`, for sm_80\n  launch   bad<<<256, 256>>>(), at objections.cu:" in page
    )
    assert (
        "CU101 uncoalesced-global-access: load from `in`\n  verdict  confirmed, a warning:" in page
    )
    assert "  measured sectors per request 32, ideal 4; " in page


def test_a_refuted_suspicion_shows_its_numbers() -> None:
    page = said(f"objections.cu:{line_of('objections.cu', '1024 bytes')}")
    assert "refuted: it reads a table of 1024 bytes, which stay in L1 [only a table]" in page
    assert "  measured sectors per request 16.5, ideal 4" in page


def test_values_tried_are_told_and_what_differs() -> None:
    page = said("objections.cu:strided")
    assert "no launch was found" in page
    assert "  tried    sizes near 1,280; sizes near 96 (" in page
    page = said("objections.cu:gather")
    assert "identity data (loaded integers are their own index, a[i] = i)" in page


def test_what_keeps_rules_from_suspecting() -> None:
    page = said(f"passed_over.cu:{line_of('passed_over.cu', 'same in all lanes')}")
    assert (
        "Not suspected\n  CU101, CU102, CU103, CU104: the address is the same in all lanes" in page
    )
    assert "CU106: in the compiled code it is in no loop" in page


def test_a_line_of_a_header_is_answered_through_who_includes_it() -> None:
    page = said("helper.cuh:5")
    assert "In the kernel `column`, for sm_80" in page
    assert "confirmed, a warning: load from `row` touches 28 sectors per request" in page
    assert "perflint why lines.cu:column" in page


def test_a_comment_that_silences_is_named() -> None:
    page = said(f"lines.cu:{line_of('lines.cu', 'it is small')}")
    assert "a comment silences it: it is small" in " ".join(page.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// a comment", "no instruction comes from this line of `column`"),
        ("// Lines of all sorts", "the nearest kernel is `column`, lines 4 to 9"),
        ("out[threadIdx.x * 32] = 0.0f;\n", "`off`: it is under `#ifdef NEVER_DEFINED`"),
        ("void run(", "this line is in no kernel"),
    ],
)
def test_a_line_without_code(text: str, expected: str) -> None:
    lines = Path("lines.cu").read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines, 1) if text in line)
    found = run(f"lines.cu:{number}")
    assert expected in " ".join(found.stdout.split())


def test_a_launch_says_which_kernel() -> None:
    page = said(f"lines.cu:{line_of('lines.cu', 'column<<<')}")
    assert "In the kernel `column`" in page
    assert "launch   column<<<10, 256>>>(n=7), at lines.cu:" in page


@pytest.mark.parametrize("name", ["objections.cu", "passed_over.cu", "lines.cu", "instances.cu"])
def test_no_line_takes_more_than_a_screen(name: str) -> None:
    for number in range(1, len(Path(name).read_text().splitlines()) + 1):
        page = said(f"{name}:{number}")
        assert len(page.splitlines()) <= SCREEN, page
        assert not [line for line in page.splitlines() if line != line.rstrip()]


def test_the_worst_of_several_kernels_comes_first() -> None:
    page = said("instances.cu:5")
    first = next(line for line in page.splitlines() if line.startswith("In the kernel"))
    assert "`walk<float, 32>`" in first
    assert "Other answers for " in page
    assert all(f"`walk<float, {w}>`" in said("-v", "instances.cu:5") for w in (1, 8, 32))


@pytest.mark.parametrize("name", ["scale", "app::scale", "walk", "walk<float,8>", "walk<float, 8>"])
def test_kernels_are_known_by_all_their_names(name: str) -> None:
    kernels = json.loads(said("--output-format", "json", f"instances.cu:{name}"))["kernels"]
    assert len(kernels) == (4 if name == "walk" else 1)


def test_a_file_that_does_not_compile_says_so(folder: Path) -> None:
    (folder / "broken.cu").write_text("__global__ void k(float *a)\n{\n    a[0] = ;\n}\n")
    for place in ("broken.cu:3", "broken.cu", "broken.cu:k"):
        assert "Not analysed: the file: line 3: " in said("--select", "CU101", place)
    (folder / "broken.cu").unlink()


def test_verbose_tells_each_objection() -> None:
    page = said("--verbose", f"objections.cu:{line_of('objections.cu', 'loaded address')}")
    flat = " ".join(page.split())
    assert "asked nothing to report: no; not reached: no; nothing wasted: no;" in flat
    assert "loaded address: its address depends on loaded data, and is fine where a[i] = i" in flat


# --- a kernel, a file -----------------------------------------------------------------------------


def test_a_kernel_is_a_table() -> None:
    page = said("objections.cu:padded_in_vain")
    row = next(line for line in page.splitlines() if "CU602" in line)
    assert row.split()[1:4] == ["CU602", "register-array-candidate", "refuted"]
    assert "threads use each other's elements" in row


def test_a_file_with_many_kernels_is_a_line_each() -> None:
    page = said("objections.cu")
    assert len(page.splitlines()) <= SCREEN
    row = next(line for line in page.splitlines() if " bad " in line)
    assert "1 confirmed" in row


def test_a_kernel_that_was_not_analysed_says_why() -> None:
    assert "Not analysed: `off`: it is under `#ifdef NEVER_DEFINED`" in said("lines.cu:off")
    page = said("lines.cu")
    assert "Not analysed: `off`" in page
    assert "no instruction in it returns, so it never ends" in page


# --- JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place", ["objections.cu", "objections.cu:gather", "objections.cu:20", "lines.cu:1", "lines.cu"]
)
def test_json_keeps_its_schema(place: str) -> None:
    jsonschema.validate(json.loads(said("--output-format", "json", place)), SCHEMA)


def test_json_has_all_that_the_text_has() -> None:
    number = line_of("objections.cu", "loaded address")
    data = json.loads(said("--output-format", "json", f"objections.cu:{number}"))
    [kernel] = data["kernels"]
    found = next(each for each in kernel["suspicions"] if each["verdict"] == "undecided")
    assert (found["code"], found["objection"], found["told"]) == ("CU101", "loaded address", "note")
    [answer] = found["answers"]
    assert {each["world"] for each in answer["measured"]} >= {"identity data"}
    assert answer["asked"][-1] == {"objection": "loaded address", "answer": found["reason"]}


def checked(*arguments: str) -> Any:
    found = CliRunner().invoke(
        cli, ["check", "--output-format", "json", *arguments], standalone_mode=False
    )
    return json.loads(found.stdout)


def test_explain_silence_adds_what_was_not_told() -> None:
    plain = checked("objections.cu")
    both = checked("--explain-silence", "objections.cu")
    assert both["findings"] == plain
    for each in both["silent"]:
        jsonschema.validate(each, _SUSPICION)
    objections = {each["objection"] for each in both["silent"]}
    assert {"loaded address", "only a table", "nothing wasted"} <= objections
    told = {(f["code"], f["location"]["row"]) for f in plain}
    assert not [
        each
        for each in both["silent"]
        if each["verdict"] == "confirmed" and (each["code"], each["location"]["row"]) in told
    ]
    shown = checked("--explain-silence", "--show-unconfirmed", "objections.cu")
    assert {each["verdict"] for each in shown["silent"]} == {"refuted"}


def test_what_is_kept_is_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer comes from the store, and is the same; plain checks keep their own."""
    first = said("--verbose", "objections.cu:gather")
    monkeypatch.setattr("perflint.lint.check_kernel.check_kernel", None)
    monkeypatch.setattr("perflint.work.filecheck.check_kernel", None)
    assert said("--verbose", "objections.cu:gather") == first


# --- what is refused ------------------------------------------------------------------------------


def test_what_is_not_there_is_refused_with_what_is_near() -> None:
    assert refused("objection.cu:3").startswith("perflint: objection.cu: no such file; there is ")
    assert "objections.cu" in refused("objection.cu:3")
    count = len(Path("lines.cu").read_text().splitlines())
    assert refused("lines.cu:999") == f"perflint: lines.cu:999: the file has {count} lines"
    assert refused("lines.cu:0") == f"perflint: lines.cu:0: the file has {count} lines"
    assert "no kernel `colunm`; there is column" in refused("lines.cu:colunm")
    assert "a folder" in refused(".")


def test_a_header_that_nobody_includes_is_refused(folder: Path) -> None:
    alone = folder / "alone.h"
    alone.write_text("__device__ int f() { return 1; }\n")
    assert "no .cu file of the project includes it" in refused("alone.h:1")
    alone.unlink()


def test_what_became_of_an_overload_is_not_said_of_its_namesake() -> None:
    case = CASES.parents[1] / "frontend" / "cases" / "lost_overloaded_kernel.cu"
    assert "which did not compile" in run(f"{case}:10").output
    other = run(f"{case}:15").output
    assert "Not analysed" not in other and "CU108" in other


@pytest.mark.parametrize("place", ["\x1b[31m.cu:3", "lines.cu:\x1b[31m", "a\0b.cu:1", "::error::x"])
def test_names_steer_no_terminal(place: str) -> None:
    line = refused(place)
    assert "\x1b" not in line
    assert "\0" not in line


def test_hostile_sources_steer_no_terminal(folder: Path) -> None:
    name = "od\x1bd.cu"
    (folder / name).write_text(
        "__global__ void k(float *out) { out[threadIdx.x * 32] = 0; /* \x1b[31m\x07 */ }\n"
    )
    for place in (f"{name}:1", name, f"{name}:k"):
        for form in ("text", "json"):
            page = said("--output-format", form, place)
            assert "\x1b" not in page
            assert "\x07" not in page
    (folder / name).unlink()


def test_a_place_as_reports_print_it_is_understood() -> None:
    number = line_of("objections.cu", "32 sectors")
    assert said(f"objections.cu:{number}:14") == said(f"objections.cu:{number}")
