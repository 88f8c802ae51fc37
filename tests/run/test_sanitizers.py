"""What NVIDIA's compute-sanitizer looks for, and what `perflint run --check` says: a case each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run.conftest import PROGRAMS, perflint_run, ready

SOURCE = (PROGRAMS / "sanitizers.cu").read_text()
PAGE = Path(__file__).parents[2] / "docs" / "run.md"

#: By case: the code, the characters that are underlined, and a part of the message.
FOUND = {
    "beyond_global": ("RT001", "p[threadIdx.x + n]", "byte 256 of `p`, which has 256 bytes"),
    "beyond_atomic": ("RT001", "p[threadIdx.x + n]", "atomic of 4 bytes"),
    "beyond_shared": ("RT001", "s[threadIdx.x + n]", "byte 128 of shared memory (128 bytes"),
    "beyond_local": ("RT001", "a[p[threadIdx.x] + n]", "local memory (32 bytes a thread)"),
    "uneven_global": ("RT002", "*(int *)(p + 4 * threadIdx.x + n)", "byte 2 of `p`"),
    "uneven_shared": ("RT002", "*(int *)(s + 4 * threadIdx.x + n)", "byte 2 of shared"),
    "freed": ("RT001", "q[threadIdx.x]", "it was freed in main"),
    "stopped": ("RT006", "__trap()", "trap"),
    "unwritten_global": ("RT003", "q[threadIdx.x]", "byte 0 of `q`, which nobody has written"),
    "unwritten_shared": ("RT003", "s[threadIdx.x]", "no thread of the block has written"),
    "read_after_write": ("RT004", "s[63 - threadIdx.x]", "is read by thread"),
    "write_after_read": ("RT004", "s[threadIdx.x]", "and was read by thread"),
    "write_after_write": ("RT004", "s[threadIdx.x & 1]", "and was written by thread"),
    "divergent_block": ("RT005", "__syncthreads()", "meet at different barriers"),
    "divergent_warp": ("RT005", "__syncthreads()", "come to different barriers"),
}
#: Cases of which nothing is said, as the page has it.
SILENT = ("unwritten_copied", "early_exit", "freed_wrongly", "wrong_call")


@pytest.mark.parametrize("case", [*FOUND, *SILENT])
def test_a_case_of_the_sanitizers(case: str, libraries: Path) -> None:
    done = perflint_run("--check", "--no-findings", "--output-format", "json", "--",
                        str(ready("sanitizers")), case)  # fmt: skip
    found = json.loads(done.out)
    if case in SILENT:
        assert (done.status, found) == (0, []), done
        return
    code, text, message = FOUND[case]
    first = found[0]
    assert (done.status, first["code"]) == (1, code), done
    assert message in first["message"]
    start, end = first["location"], first["end_location"]
    line = SOURCE.splitlines()[start["row"] - 1]
    assert start["row"] == end["row"]
    assert line[start["column"] - 1 : end["column"] - 1].rstrip(";") == text


def test_the_page_has_every_case() -> None:
    page = PAGE.read_text()
    assert [case for case in (*FOUND, *SILENT) if f"`{case}`" not in page] == []
    cases = {line.split('"')[1] for line in SOURCE.splitlines() if 'if (is("' in line}
    assert cases == {*FOUND, *SILENT}
