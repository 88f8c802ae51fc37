"""`perflint triton` and `perflint numba`, where the compilers are installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from perflint.base.evidence import Evidence
from perflint.base.span import Span
from perflint.lint.findings import Finding, Level, Result
from perflint.lint.options import CheckOptions
from perflint.python_kernels.command import _of_all_configurations
from perflint.python_kernels.manifest import Compiled

DATA = Path(__file__).parents[1] / "data"


def _perflint(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "perflint", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def _places(output: str) -> list[tuple[str, str, int]]:
    found = json.loads(output)
    return [(f["code"], Path(f["filename"]).name, f["location"]["row"]) for f in found]


def test_triton_gives_the_strided_load_and_nothing_of_its_twin() -> None:
    pytest.importorskip("triton")
    done = _perflint("triton", DATA / "triton/strided.py", "--output-format", "json")
    assert _places(done.stdout) == [("CU101", "strided.py", 12)]
    (finding,) = json.loads(done.stdout)
    assert "`x_ptr`" in finding["message"]
    assert finding["launch"].startswith("strided<<<64, 128>>>(stride=48, n=65536)")
    assert done.returncode == 1


def test_a_librarys_kernels_are_launched_as_its_functions_do() -> None:
    pytest.importorskip("triton")
    form = ("--output-format", "json", "--show-unconfirmed", "-v")
    done = _perflint("triton", DATA / "triton/library", *form)
    found = json.loads(done.stdout)
    assert {(f["code"], f["level"], f["location"]["row"]) for f in found} == {
        ("CU101", "warning", 33), ("CU101", "note", 82), ("CU101", "warning", 90),
        ("CU101", "note", 83), ("CU103", "note", 83), ("CU103", "note", 105), ("CU002", "note", 37),
    }  # fmt: skip
    narrow = [f["reason"] for f in found if f["code"] == "CU103"]
    assert all("was made up with its tensor" in reason for reason in narrow)
    of_rows = {f["location"]["row"]: f for f in found if f["code"] == "CU101"}
    assert any("not found with other tensors" in note for note in of_rows[83]["notes"])
    assert any(
        "not found with STEP=1, BLOCK=512, num_warps=4" in note for note in of_rows[82]["notes"]
    )
    launch = of_rows[33]["launch"]
    assert launch.startswith("scale_columns<<<4096, 128>>>(row_stride=4096 assumed, n_rows=512 ")
    assert "supposing `x` is bfloat16[4, 512, 4096]" in launch
    # What it is given goes together as its checks want it; what kernels call is no kernel, and
    # what it prints is not told.
    assert "ops/checked.py" not in done.stderr and "shapes" not in done.stderr
    assert "in 10 kernels of" in _perflint("triton", DATA / "triton/library").stdout
    assert "einops is not installed" in done.stderr and "absent_models" not in done.stderr
    assert "norm.py:37: never_launched: no launch was seen" in done.stderr
    assert done.stderr.count("no launch was seen") == 1


PACKAGE = {
    "models/kernels/triton/norm.py": """\
import torch
import triton
import triton.language as tl
from models.sizes import BLOCK


class Columns:
    @staticmethod
    @triton.jit
    def forward(x_ptr: torch.Tensor, out_ptr, stride, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out_ptr + at, tl.load(x_ptr + at * stride))


class Never:
    @staticmethod
    @triton.jit
    def forward(x_ptr, out_ptr, BLOCK: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, BLOCK), tl.load(x_ptr))
""",
    "models/sizes.py": "BLOCK = 256\n",
    "models/layers/norm.py": """\
from typing import List, Optional

import torch
from models.kernels.triton.norm import Columns
from models.sizes import BLOCK


def shifted(xs: List[torch.Tensor], out: torch.Tensor, bias: Optional[torch.Tensor] = None):
    assert bias is not None and bias.shape == out.shape
    tf32 = int(torch.backends.cuda.matmul.allow_tf32)
    Columns.forward[(len(xs),)](xs[0], out, xs[0].stride(0) + tf32, BLOCK)
""",
}


def test_a_package_without_init_and_kernels_of_classes(tmp_path: Path) -> None:
    """Its modules' imports name it; who launches a kernel of a class stands anywhere in it."""
    pytest.importorskip("triton")
    for name, text in PACKAGE.items():
        file = tmp_path / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    kernels = tmp_path / "src/models/kernels/triton/norm.py"
    done = _perflint("triton", kernels, "--output-format", "json", "--select", "CU002,CU101")
    assert _places(done.stdout) == [("CU101", "norm.py", 12), ("CU002", "norm.py", 16)]
    walk, lost = json.loads(done.stdout)
    assert "Never.forward" in lost["message"]
    assert "`xs` are bfloat16[2048, 4096]" in walk["launch"]


def test_a_folder_without_kernels_is_told(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text("x = 1\n")
    done = _perflint("triton", tmp_path)
    assert done.returncode == 2 and "no module below" in done.stderr


def test_triton_takes_signatures(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    text = (DATA / "triton/strided.py").read_text()
    text = text[: text.index("def main")]
    file = tmp_path / "k.py"
    file.write_text(text)
    without = _perflint("triton", file, "--select", "CU002", "--output-format", "json")
    assert [place[2] for place in _places(without.stdout)] == [8, 16]
    given = _perflint(
        "triton", file, "--output-format", "json",
        "--signature", "strided=*fp32,*fp32,i32,i32,constexpr:256",
        "--signature", "coalesced=*fp16,*fp16,i32,256;num_warps=8",
    )  # fmt: skip
    # of the other's elements a thread has one
    assert _places(given.stdout) == [("CU101", "k.py", 12), ("CU103", "k.py", 20)]
    # what nobody says to be a multiple of 16 cannot be moved with vectors
    given = _perflint(
        "triton", file, "--output-format", "json",
        "--signature", "coalesced=*fp32,*fp32,i32:0,constexpr:1024",
    )  # fmt: skip
    assert _places(given.stdout) == [("CU102", "k.py", 20)]
    (finding,) = json.loads(given.stdout)
    assert [place["location"]["row"] for place in finding["related"]] == [21]


LAUNCHER = """\
import torch
import triton
import triton.language as tl


class Entry:
    def __init__(self, fn):
        self.fn = fn

    def __getitem__(self, grid):
        return self.fn[grid]


@Entry
@triton.jit
def gathered(x_ptr, start_ptr, out_ptr, stride_b, stride_h, stride_d, BLOCK: tl.constexpr):
    start = tl.load(start_ptr + tl.program_id(0))
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + start * stride_b + tl.program_id(1) * stride_h + cols * stride_d)
    tl.atomic_add(out_ptr + cols * 0, x.to(tl.float32))


def gather(x, b_loc, out):
    assert len(b_loc) == x.shape[0]
    gathered[(len(b_loc), x.shape[1])](x, b_loc, out.float(), *x.stride(), x.shape[-1])
"""


def test_a_launcher_is_called_with_what_its_kernel_takes(tmp_path: Path) -> None:
    """Indices by what is done with them, as many dimensions as strides, a wrapper around it."""
    pytest.importorskip("triton")
    (tmp_path / "__init__.py").touch()
    file = tmp_path / "k.py"
    file.write_text(LAUNCHER)
    done = _perflint("triton", file, "--select", "CU002,CU108", "--output-format", "json")
    assert _places(done.stdout) == [("CU108", "k.py", 20)]
    (finding,) = json.loads(done.stdout)
    assert "`b_loc` is int32[4]" in finding["launch"] and "`x` is bfloat16[4, " in finding["launch"]
    assert "tl.sum" in finding["help"] and "shfl" not in finding["help"]


ROWS = """\
import triton
import triton.language as tl


@triton.jit
def summed(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at * stride))


def copy(x, out):
    summed[(4,)](x, out, x.stride(0), 1024)
"""


def test_a_stride_that_only_made_up_rows_have_is_a_note(tmp_path: Path) -> None:
    """A vector's first stride is 1. Of what has columns the walk is told."""
    pytest.importorskip("triton")
    (tmp_path / "__init__.py").touch()
    file = tmp_path / "k.py"
    file.write_text(ROWS)
    given = "--select", "CU101", "--output-format", "json"
    (finding,) = json.loads(_perflint("triton", file, *given).stdout)
    assert finding["level"] == "note"
    file.write_text(ROWS.replace("(4,)", "(x.shape[1],)"))
    (finding,) = json.loads(_perflint("triton", file, *given).stdout)
    assert finding["level"] == "warning"


def test_what_a_launch_does_not_give_is_told(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    file = tmp_path / "k.py"
    file.write_text(
        LAUNCHER.replace("*x.stride(), x.shape[-1]", "*x.stride(), x.shape[-1], WIDTH=3").replace(
            "BLOCK: tl.constexpr", "BLOCK: tl.constexpr, HEIGHT: tl.constexpr"
        )
    )
    (tmp_path / "__init__.py").touch()
    done = _perflint("triton", file, "--select", "CU002", "--show-unconfirmed")
    assert "the launch at k.py:25 gives no 'HEIGHT'" in done.stdout


STAGED = """\
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({}, num_stages=7), triton.Config({}, num_stages=2)], key=[])
@triton.jit
def product(a_ptr, b_ptr, c_ptr, k, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows, inner = tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    a_ptrs = a_ptr + rows[:, None] * k + inner[None, :]
    b_ptrs = b_ptr + inner[:, None] * BLOCK + rows[None, :]
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for _ in range(0, k, DEPTH):
        total = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), total)
        a_ptrs += DEPTH
        b_ptrs += DEPTH * BLOCK
    tl.store(c_ptr + rows[:, None] * BLOCK + rows[None, :], total)


a = torch.empty((128, 1024), device="cuda", dtype=torch.float16)
c = torch.empty((128, 128), device="cuda", dtype=torch.float32)
product[(1,)](a, a, c, 1024, BLOCK=128, DEPTH=64)
"""


def test_a_configuration_that_wants_too_much_shared_memory_is_left_out(tmp_path: Path) -> None:
    """As Triton's tuner leaves it out. Without another one the kernel is not analysed."""
    pytest.importorskip("triton")
    file = tmp_path / "k.py"
    file.write_text(STAGED)
    given = "--select", "CU002,CU404", "--show-unconfirmed", "-v"
    done = _perflint("triton", file, *given)
    assert "1 of the 2 configurations that were compiled are left out" in done.stderr
    assert "one wants 196,608 bytes of shared memory, and sm_80 gives a block 166,9" in done.stderr
    assert "CU404" in done.stdout and "CU002" not in done.stdout
    file.write_text(STAGED.replace(", triton.Config({}, num_stages=2)", ""))
    done = _perflint("triton", file, *given)
    assert "product was not analysed: it wants 196,608 bytes of shared memory" in done.stdout


def test_a_module_that_fails_is_told(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    file = tmp_path / "k.py"
    file.write_text("print('out')\nx = 1\nraise RuntimeError('no GPU here')\n")
    done = _perflint("triton", file)
    assert "k.py:3: module: the module ended with RuntimeError: no GPU here" in done.stderr
    assert "out" not in done.stdout.splitlines()
    assert "Traceback" not in done.stderr
    file.write_text("while True: pass\n")
    done = _perflint("triton", file, "--timeout", "8")
    assert (done.returncode, "--timeout gives it more" in done.stderr) == (2, True)


def test_numba_gives_the_column_walk() -> None:
    pytest.importorskip("numba.cuda")
    done = _perflint("numba", DATA / "numba/walks.py", "--output-format", "json")
    assert _places(done.stdout) == [("CU101", "walks.py", 13)]
    (finding,) = json.loads(done.stdout)
    assert finding["launch"].startswith(
        "column_walk<<<8, 128>>>(a.shape[0]=1024, a.shape[1]=512, out.shape[0]=1024)"
    )


def test_numba_compiles_for_the_arrays_of_each_launch() -> None:
    pytest.importorskip("numba.cuda")
    done = _perflint("numba", DATA / "numba/helpers.py", "--output-format", "json")
    assert _places(done.stdout) == [("CU101", "helpers.py", 15)]
    (finding,) = json.loads(done.stdout)
    assert "x.strides[0]=8" in finding["launch"]


LIBRARY = """\
from numba import cuda


@cuda.jit
def columns(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        out[i] = total


@cuda.jit
def damped(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * 0.5


@cuda.jit
def of_energy(tracks):
    tracks[cuda.grid(1)]["energy"] = 0.0
"""


def test_numbas_kernels_that_nothing_launches_are_compiled_for_types_of_their_source(
    tmp_path: Path,
) -> None:
    """Under both types of elements the walk is one; records have fields that nobody gives."""
    pytest.importorskip("numba.cuda")
    file = tmp_path / "k.py"
    file.write_text(LIBRARY)
    form = ("--output-format", "json", "--select", "CU002,CU101")
    done = _perflint("numba", file, *form)
    assert _places(done.stdout) == [("CU101", "k.py", 10), ("CU002", "k.py", 21)]
    finding = json.loads(done.stdout)[0]
    assert finding["level"] == "warning"
    types = "`x` is float64[:, ::1], `out` is float64[::1]"
    assert f"no launch was seen: supposing {types}" in finding["notes"]
    # that `0.0` makes the sum double is so of float32s alone
    done = _perflint("numba", file, "--output-format", "json", "--select", "CU701")
    doubles = json.loads(done.stdout)
    assert {f["level"] for f in doubles} == {"note"}
    (of_sum,) = (f for f in doubles if f["location"]["row"] == 8)
    assert of_sum["notes"][-1] == f"not found where {types}"


STRIDES = """\
from numba import cuda


@cuda.jit
def sixths(x, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = x[6 * i]


@cuda.jit
def marked(mask, out):
    i = cuda.grid(1)
    if i < out.shape[0] and mask[3 * i]:
        out[i] = 1.0


@cuda.jit
def columns(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        for j in range(x.shape[1]):
            out[i] += x[i, j]
"""


def test_of_supposed_types_the_figure_is_of_those_that_waste_least(tmp_path: Path) -> None:
    """Between elements a few apart fewer bytes lie if they are narrow; rows are far apart."""
    pytest.importorskip("numba.cuda")
    file = tmp_path / "k.py"
    file.write_text(STRIDES)
    done = _perflint("numba", file, "--output-format", "json", "--select", "CU101")
    told = {f["location"]["row"]: (f["level"], f["message"]) for f in json.loads(done.stdout)}
    figures = {8: "24 sectors per request where 4", 14: "3 sectors per request where 1"}
    figures[23] = "16 or more sectors per request where 8"
    assert told.keys() == figures.keys()
    for row, figure in figures.items():
        level, message = told[row]
        assert level == "warning"
        assert f"touches {figure} would do" in message


@pytest.mark.parametrize(
    ("narrow", "told"), [(("note",), "note"), (("note", "warning"), "warning")]
)
def test_a_place_that_is_a_note_with_other_supposed_types_is_one(
    narrow: tuple[Level, ...], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A note on the same line of what warns is another access, and hides no warning."""
    file = tmp_path / "k.py"
    kernels = [
        (tmp_path, Compiled("k", f"k.{n}.ptx", (), str(file), supposing=(f"`x` is {name}",)))
        for n, name in enumerate(("float64", "float32"))
    ]

    def simulated(group: list[tuple[Path, Compiled]], _: object) -> Result:
        wide = group[0][1].ptx == "k.0.ptx"
        figure = (Evidence("sectors per request", 8.0 if wide else 4.0, 2.0, "sectors"),)
        place, levels = Span(file, 3, 1, 3, 2), ("warning",) if wide else narrow
        found = tuple(
            Finding("CU101", "", level, "confirmed", "", place, "k", evidence=figure)
            for level in levels
        )
        return Result(found, (), 1, 1, ())

    monkeypatch.setattr("perflint.python_kernels.command._simulated", simulated)
    (finding,) = _of_all_configurations(kernels, CheckOptions(frozenset())).findings
    assert finding.level == told
    assert ("not found where `x` is float32" in finding.notes) == (told == "note")


@pytest.mark.parametrize(("command", "package"), [("triton", "triton"), ("numba", "numba")])
def test_what_is_missing_is_named(command: str, package: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(package):
        pytest.skip(f"{package} is installed")
    file = tmp_path / "k.py"
    file.write_text("x = 1\n")
    done = _perflint(command, file)
    assert done.returncode == 2
    assert f"perflint's extra {command} installs what" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("value", ["kernel", "=i32", "a b=i32", "kernel="])
def test_a_signature_has_a_kernel_and_types(value: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text("")
    done = _perflint("triton", file, "--signature", value)
    assert (done.returncode, "is no signature" in done.stderr) == (2, True)


def test_a_cache_of_tritons_is_a_folder_of_ptx(tmp_path: Path) -> None:
    cache = tmp_path / ".triton" / "cache"
    for number, name in enumerate(("strided", "coalesced")):
        folder = cache / f"HASH{number}"
        folder.mkdir(parents=True)
        for suffix in ("ptx", "ttir", "json"):
            text = (DATA / "triton" / f"{name}.sm_80.{suffix}").read_text()
            text = text.replace('"strided.py"', f'"{tmp_path}/src/strided.py"')
            (folder / f"{name}.{suffix}").write_text(text)
    source = tmp_path / "src" / "strided.py"
    source.parent.mkdir()
    source.write_text((DATA / "triton/strided.py").read_text())
    line = "x = tl.load(x_ptr + offsets * stride, mask=mask)"
    unread = _perflint(cache)
    assert "strided.py:12:9" in unread.stdout and line not in unread.stdout
    assert "load from `x_ptr`" in unread.stdout
    assert line in _perflint(cache, "-I", source.parent).stdout


def test_help_says_that_the_module_is_run() -> None:
    for command in ("triton", "numba"):
        assert "RUNS the module's code" in _perflint(command, "--help").stdout
