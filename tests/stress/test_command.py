"""`perflint stress` as it is called: what it prints, in which format, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from perflint.cli.commands import run
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.stress import command, objectives
from perflint.work.pipeline import check
from tests.rules.test_rules import HEADINGS
from tests.stress.conftest import KERNELS, LAUNCHES

ROOT = Path(__file__).parents[2]
SARIF = json.loads((ROOT / "tests/data/sarif-2.1.0.json").read_text())


def stress(*words: str) -> int:
    return run(["stress", *words])


def gather(*words: str) -> int:
    launch = ["--kernel", "gather_shared", "--launch", LAUNCHES["gather_shared"]]
    return stress(str(KERNELS), *launch, "--tries", "60", "--no-suite", *words)


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert gather() == 0
    said = capsys.readouterr().out
    first, place, *_ = said.splitlines()
    assert first.startswith(
        "note: CU201 shared-bank-conflict: with `index[i] = 32*i mod 1024`, the load from `tile` "
        "is a 32-way conflict, 32 wavefronts per request; random data 3."
    )
    line = 1 + KERNELS.read_text().split("\n").index("        out[i] = tile[index[i]];")
    assert place.endswith(f"worst.cu:{line}:18")
    assert "   = measured: wavefronts per request 32, ideal 1\n" in said
    assert "1 input, worse than random data at 1 place of gather_shared: " in said
    assert "Reached: 4 of 4 accesses, " in said and "silence" not in said


def test_the_report_as_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    launch = ["--kernel", "gather_shared", "--launch", LAUNCHES["gather_shared"]]
    folder = str(tmp_path / "kept")
    words = [str(KERNELS), *launch, "--tries", "60", "-o", folder, "--output-format", "json"]
    assert stress(*words) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "perflint/stress/1" and data["kernel"] == "gather_shared"
    assert data["arrays"] == [{"name": "index", "kind": "number", "from": 0, "to": 1024}]
    [case] = data["cases"]
    assert case["generators"] == {"index": "32*i mod 1024"} and case["folder"] == f"{folder}/case-1"
    [figure] = case["figures"]
    kept = json.loads((tmp_path / "kept/case-1/case.json").read_text())
    assert {**figure, "filename": ""} == {**kept["figures"][0], "filename": ""}
    assert data["coverage"]["accesses"] == {"reached": 4, "all": 4}
    assert 2.5 < figure["random"] < 4.5 and figure["identity"] == 1


def test_the_report_as_sarif(capsys: pytest.CaptureFixture[str]) -> None:
    assert gather("--output-format", "sarif") == 0
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, SARIF)
    [result] = data["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("CU201", "note")
    assert {rule["id"] for rule in data["runs"][0]["tool"]["driver"]["rules"]} == {
        each.code for each in objectives.OBJECTIVES.values()
    }


def test_the_same_bytes_in_two_processes(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for jobs in "12":
        assert gather("--output-format", "json", "-j", jobs) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_one_objective(capsys: pytest.CaptureFixture[str]) -> None:
    assert gather("--objective", "sectors,divergence") == 0
    assert capsys.readouterr().out.startswith("Nothing is worse than random data: ")


def test_as_the_host_code_launches_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert stress(str(ROOT / "examples/bfs.cu"), "--tries", "40") == 0
    said = capsys.readouterr().out
    assert "visit as it is launched at line 45 of bfs.cu" in said
    assert "the load from `cost` touches 32 sectors per request" in said
    assert (tmp_path / "suite/case-1/replay.cu").is_file()
    assert stress("--replay", "suite") == 0


def test_ptx_is_searched_without_a_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from perflint import frontend

    text = frontend.compile_file(KERNELS, arch="sm_80").ptx
    assert text is not None
    (tmp_path / "k.ptx").write_text(text)
    launch = LAUNCHES["histogram"].replace("data", "param0").replace("bins", "param1")
    launch = launch.replace("n=", "param2=")
    words = [str(tmp_path / "k.ptx"), "--kernel", "histogram", "--launch", launch]
    folder = tmp_path / "kept"
    assert stress(*words, "--tries", "30", "-o", str(folder)) == 0
    assert "32 lanes of a warp at one address" in capsys.readouterr().out
    case = json.loads((folder / "case-1/case.json").read_text())
    assert case["program"] is None and case["without_program"] == "the kernel comes as PTX"
    assert stress("--replay", str(folder)) == 0


ODD = """
__global__ void odd(cudaTextureObject_t table, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at;
    asm("shl.b32 %0, %1, 3;" : "=r"(at) : "r"(index[i]));
    out[i] = tex1Dfetch<float>(table, at & 15) + out[at & 1023];
}
int main()
{
    float *out; int *index; cudaTextureObject_t table = 0;
    cudaMalloc(&out, 1024 * 4);
    cudaMalloc(&index, 1024 * 4);
    odd<<<4, 256>>>(table, index, out, 1024);
}
"""


def test_textures_and_inline_assembly_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "odd.cu").write_text(ODD)
    folder = tmp_path / "kept"
    assert stress(str(tmp_path / "odd.cu"), "--tries", "60", "-o", str(folder)) == 0
    assert "Reached: " in capsys.readouterr().out
    for case in folder.iterdir():
        data = json.loads((case / "case.json").read_text())
        assert data["without_program"] == "a parameter is a texture"
    assert stress("--replay", str(folder)) == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "give a FILE to search, or --replay with a suite"),
        (["a.cu", "--replay", "suite"], "give a FILE to search, or --replay"),
        (["none.cu"], "none.cu: there is no such file"),
        ([str(KERNELS)], "there are several kernels: say --kernel with one of histogram"),
        ([str(KERNELS), "--kernel", "nothing"], "there is no kernel nothing; there is histogram"),
        ([str(KERNELS), "--objective", "speed"], "there is no objective 'speed'; choose from"),
        ([str(KERNELS), "--launch", "<<<1>>>"], "expected ','"),
        ([str(KERNELS), "--arch", "sm_80", "--arch", "sm_90"], "give --arch once"),
        (["--kernel", "scale", str(KERNELS), "--launch", "<<<1,32>>>(n=1)"], "gives no in, out"),
        (["--replay", "none", "--output-format", "sarif"], "--replay prints text or json"),
        (["--replay", "none"], "none: there is no such folder"),
    ],
)
def test_wrong_use(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert stress(*words) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_contradictions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert gather("--assume", "index < 5", "--assume", "n > 0", "--assume", "index > 7") == 2
    assert "`index < 5` and `index > 7` contradict each other" in capsys.readouterr().err
    assert gather("--assume", "n > 1000") == 2
    assert "`n > 1000` and `n = 512 of the launch`" in capsys.readouterr().err


def test_the_objectives_of_the_help_are_all_there_are() -> None:
    assert tuple(objectives.MEASURES) == command.OBJECTIVES


# --- the rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [c for c, info in rules().items() if info.subject == "input"])
def test_check_never_finds_what_only_an_input_shows(code: str, tmp_path: Path) -> None:
    assert re.findall(r"^## (.*)$", rules()[code].page, re.MULTILINE) == HEADINGS
    for number, source in enumerate(_examples(code)):
        file = tmp_path / f"{number}.cu"
        file.write_text(source)
        found = check([file], CheckOptions(rules=frozenset(rules()), root=tmp_path))
        assert code not in {each.code for each in found.findings}


def _examples(code: str) -> list[str]:
    page = rules()[code].page
    return [page.split(f"## {h}\n")[1].split("```cuda\n")[1].split("```")[0]
            for h in ("Example", "Use instead")]  # fmt: skip


def test_stress_finds_the_example_of_its_rule(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    example, better = _examples("CU905")
    (tmp_path / "example.cu").write_text(example)
    (tmp_path / "better.cu").write_text(better)
    launch = (
        "<<<2,128>>>(first=random:s32[257], value=ones:f32[2048], sum=zeros:f32[256], rows=256)"
    )
    words = ["--launch", launch, "--tries", "40", "--no-suite"]
    assert stress(str(tmp_path / "example.cu"), *words) == 0
    assert "CU905 input-dependent-work: with `first = rows(2048, " in capsys.readouterr().out
    launch = "<<<2,128>>>(value=random:f32[2048], sum=zeros:f32[256], rows=256, length=8)"
    words = ["--launch", launch, "--tries", "40", "--no-suite"]
    assert stress(str(tmp_path / "better.cu"), *words) == 0
    assert "does the same whatever its arrays hold" in capsys.readouterr().out
