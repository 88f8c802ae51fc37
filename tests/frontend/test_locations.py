"""Lines and columns in PTX are those of the user's file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file

#: The statement stands at line 6, column 9, counted in characters.
BODY = """\
// {comment}
int host() {{ return 1; }}
#define SIZE \\
  3
/* {comment} */ __global__ void k(float *p) {{
/*{c}*/ p[threadIdx.x * SIZE] = 4.0f;
}}
"""


def locations(ptx: str) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in re.findall(r"\.loc\s+1 (\d+) (\d+)", ptx)}


@pytest.mark.parametrize(
    "encode",
    [
        lambda t: t.format(comment="plain", c="co").encode(),
        lambda t: t.format(comment="größer ≥ 🚀", c="≥🚀").encode(),
        lambda t: t.format(comment="größer", c="öü").encode("latin-1"),
        lambda t: b"\xef\xbb\xbf" + t.format(comment="größer ≥", c="≥≤").encode(),
        lambda t: t.format(comment="größer", c="öü").replace("\n", "\r\n").encode(),
        lambda t: t.format(comment="größer", c="öü").encode("utf-16"),
    ],
    ids=["ascii", "utf-8", "latin-1", "bom", "crlf", "utf-16"],
)
def test_encodings(tmp_path: Path, pool: Pool, encode) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "file.cu"
    path.write_bytes(encode(BODY))
    found = compile_file(path, pool=pool)
    assert found.ptx is not None and not found.lost
    assert (6, 8) in locations(found.ptx)
    assert min(line for line, _ in locations(found.ptx)) == 5


def test_tabs_count_one(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "tabs.cu"
    path.write_text("__global__ void k(float *p) {\n\t\tp[threadIdx.x] = 4.0f;\n}\n")
    ptx = compile_file(path, pool=pool).ptx
    assert ptx is not None and (2, 3) in locations(ptx)


def test_line_directives_do_not_move_anything(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "generated.cu"
    path.write_text('#line 700 "grammar.y"\n__global__ void k(int *p) {\n  p[0] = 1;\n}\n')
    ptx = compile_file(path, pool=pool).ptx
    assert ptx is not None and (3, 3) in locations(ptx)
    assert "grammar.y" not in ptx


def test_odd_file_names(tmp_path: Path, pool: Pool) -> None:
    folder = tmp_path / "a folder (1) with 'quotes' and ümläute"
    folder.mkdir()
    (folder / 'he"ader.h').write_text("__device__ float f(float x) { return x * x + x; }\n")
    path = folder / "ke rnel;$(x).cu"
    path.write_text('#include "sub.h"\n__global__ void k(float *p) { p[0] = f(p[1]); }\n')
    (folder / "sub.h").symlink_to(folder / 'he"ader.h')
    found = compile_file(path, pool=pool)
    assert found.ptx is not None and not found.lost
    assert path.resolve().as_posix() in found.ptx
    assert 'he\\"ader.h"' in found.ptx
