"""`perflint view`: what it takes, what it writes, the status it leaves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from perflint import frontend
from perflint.cli.commands import run
from perflint.view.source_table import ending
from tests.view.browser import Browser
from tests.view.conftest import REDUCE, SQUARE, TRANSPOSE

LAUNCH = "<<<4,256>>>(in=random:f32[1024], out=zeros:f32[4], n=1024)"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_launch_with_arrays(capsys: Any, tmp_path: Path) -> None:
    assert run(["view", str(REDUCE), "--launch", LAUNCH, "--no-findings"]) == 0
    text = (tmp_path / "reduce.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "reduce.cu" in text
    assert "reduce.html shows 1 launch" in capsys.readouterr().err


def test_the_launches_that_a_file_shows(browser: Browser, tmp_path: Path, capsys: Any) -> None:
    """One of each kernel, with what `check` finds at its line."""
    source = TRANSPOSE.read_text(encoding="utf-8").replace("w = 2048, h = 1024", "w = 128, h = 64")
    (tmp_path / "t.cu").write_text(source, encoding="utf-8")
    assert run(["view", "t.cu", "-o", "t.html", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert browser.open(tmp_path / "t.html")
    launches = browser.run(
        "return perflint.app.traces.map((t) => [t.data.profile.launch,"
        " t.data.findings.map((f) => f.code)])"
    )
    shape = "<<<(4, 2), (32, 8)>>>(w=128, h=64)"
    assert [each[0] for each in launches] == [
        f"transpose_{kind}{shape}" for kind in ("naive", "tile", "padded")
    ]
    assert [each[1] for each in launches] == [["CU101"], ["CU201"], []]
    finding = browser.run(
        "const row = document.querySelector('tr.finding');"
        "return [row.previousElementSibling.querySelector('code').textContent, row.textContent]"
    )
    assert finding[0].strip().startswith("out[x * h + (y + j)]")
    assert "32 sectors per request" in finding[1]


def test_a_launch_without_arrays_is_as_check_launches_it(tmp_path: Path) -> None:
    launch = "transpose_padded<<<(4,2),(32,8)>>>(w=128, h=64)"
    arguments = ["view", str(TRANSPOSE), "--launch", launch, "--no-findings", "-o", "p.html"]
    assert run(arguments) == 0
    assert "transpose_padded&lt;&lt;&lt;(4, 2), (32, 8)&gt;&gt;&gt;(w=128, h=64)" in (
        tmp_path / "p.html"
    ).read_text(encoding="utf-8")


def test_of_traces(tmp_path: Path) -> None:
    for kind in ("naive", "tile"):
        launch = f"transpose_{kind}{SQUARE}"
        arguments = ["profile", str(TRANSPOSE), "--launch", launch, "--output-format", "trace"]
        assert run([*arguments, "-o", f"{kind}.json"]) == 0
    assert run(["view", "naive.json", "tile.json", "--compare", "-o", "two.html"]) == 0
    assert "<body data-compare>" in (tmp_path / "two.html").read_text(encoding="utf-8")
    assert run(["view", "naive.json", "tile.json", "--compare", "-o", "again.html"]) == 0
    assert (tmp_path / "two.html").read_bytes() == (tmp_path / "again.html").read_bytes()


def test_a_kernel_that_does_what_it_must_not(capsys: Any, tmp_path: Path) -> None:
    launch = "<<<1,256>>>(in=random:f32[100], out=zeros:f32[1], n=256)"
    assert run(["view", str(REDUCE), "--launch", launch, "--no-findings"]) == 2
    assert "reduce.cu:17" in capsys.readouterr().err
    assert (tmp_path / "reduce.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.cu"], "missing.cu"),
        (["x.json"], "x.json: No such file"),
        (["bad.json"], "bad.json: no trace"),
        (["old.json"], "version 0"),
        (["old.json", str(REDUCE)], "do not go together"),
        ([str(REDUCE), "--launch", "nothing"], "is no launch"),
        ([str(REDUCE), "--launch", "other<<<1,32>>>(n=1)"], "no kernel other"),
        ([str(TRANSPOSE), "--launch", "<<<1,32>>>(w=1)"], "say which kernel"),
        ([str(TRANSPOSE), "--kernel", "none"], "no kernel none"),
        ([str(REDUCE), "--launch", LAUNCH, "--compare", "--no-findings"], "needs two"),
        ([str(REDUCE), "--arch", "sm_80", "--arch", "sm_90"], "give --arch once"),
        (["--run", "no-such-program"], "there is no such program"),
        (["--run", "--kernel", "k", "true"], "leave --launch and --kernel"),
        ([str(REDUCE), "--launch", LAUNCH, "--no-findings", "-o", "a/b.html"], "a/b.html"),
    ],
)
def test_what_cannot_be_shown_is_told(
    tmp_path: Path, capsys: Any, arguments: list[str], said: str
) -> None:
    (tmp_path / "bad.json").write_text("[]", encoding="utf-8")
    old = json.dumps({"format": "perflint-trace", "version": 0})
    (tmp_path / "old.json").write_text(old, encoding="utf-8")
    assert run(["view", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error and error.startswith("perflint: ") and "Traceback" not in error


def test_a_page_shows_nothing_of_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `.file` in PTX names what it likes."""
    secret = tmp_path / "elsewhere" / "secret.cu"
    project = tmp_path / "project"
    secret.parent.mkdir()
    project.mkdir()
    monkeypatch.chdir(project)
    source = REDUCE.read_text(encoding="utf-8")
    secret.write_text(source.replace("\n", "  // a secret\n"), encoding="utf-8")
    ptx = frontend.compile_file(REDUCE, arch="sm_80").ptx or ""
    assert str(REDUCE) in ptx
    (project / "k.ptx").write_text(ptx.replace(str(REDUCE), str(secret)), encoding="utf-8")
    launch = "<<<4,256>>>(param0=zeros:f32[4], param1=random:f32[1024], param2=1024)"
    for arguments in ([], ["--launch", launch]):
        page = tmp_path / "page.html"
        assert run(["view", str(project / "k.ptx"), *arguments, "-o", str(page)]) == 0
        assert "a secret" not in page.read_text(encoding="utf-8")
        page.unlink()


LONG = """
__global__ void turns(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i * 1024 + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(("turns", "whole"), [(64, True), (100_000, False)])
def test_what_nobody_asked_for_is_bounded_by_counts(
    tmp_path: Path, turns: int, whole: bool
) -> None:
    """Of a launch that would take minutes fewer blocks are run; what one does is cut at last."""
    (tmp_path / "k.cu").write_text(LONG, encoding="utf-8")
    launch = f"turns<<<1024,256>>>(n={turns})"
    assert run(["view", "k.cu", "--launch", launch, "--no-findings", "-o", "k.html"]) == 0
    text = (tmp_path / "k.html").read_text(encoding="utf-8")
    assert "instruction budget" in text or whole
    [blocks] = re.findall(r"<p>([\d,]+) of the grid&#x27;s 1,024 blocks were simulated", text)
    assert (int(blocks) > 50) == whole


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("src/kernel.cu", "src/kernel.cu"),
        ("/home/someone/projects/solver/kernels/matrix.cu", "…/projects/solver/kernels/matrix.cu"),
        (f"{'a' * 60}.cu", f"{'a' * 60}.cu"),
        (f"b/{'a' * 60}.cu", f"…/{'a' * 60}.cu"),
    ],
)
def test_a_long_path_shows_its_end(name: str, shown: str) -> None:
    assert ending(name) == shown
