"""The configuration file: found, read, refused; and how it meets the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.cli.config import ConfigError, find, load
from perflint.cli.settings import Settings, merged, options
from perflint.lint.findings import Result
from tests.cli.conftest import Outcome, Pipeline, finding

Run = Callable[..., Outcome]

EVERYTHING = """
select = ["CU1", "CU201"]
extend-select = ["CU002"]
ignore = ["CU101"]
exclude = ["third_party"]
arch = ["sm_90"]
launch = ["k=<<<2,64>>>(n=3)"]
define = ["N=4"]
include = ["inc"]
include-headers = true
compile-commands = "build"
frontend = "nvcc"
nvcc = true
jobs = 3
budget = 3
baseline = "baseline.json"
force-exclude = true
preview = true
sarif-suppressed = true
cache-size = "16K"
min-waste = 10
cache = false
show-unconfirmed = true
fail-on = "error"
require-analysed = 50
per-file-ignores = { "tests/*" = ["CU201"] }
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own configuration file, which may say everything."""
    monkeypatch.setenv("XDG_CONFIG_HOME" if os.name == "posix" else "APPDATA", str(tmp_path))
    (tmp_path / "perflint").mkdir()
    return tmp_path / "perflint" / "perflint.toml"


def test_every_key(own: Path) -> None:
    own.write_text(f'{EVERYTHING}cluster = "127.0.0.1:8786"\nallow-nvcc = true\n')
    (own.parent / "inc").mkdir()
    config = merged([load(own)])
    assert config.select == ("CU1", "CU201")
    assert [(i.glob.pattern, i.selectors) for i in config.per_file_ignores] == [
        ("tests/*", ("CU201",))
    ]
    assert config.launch[0].block == (64, 1, 1)
    assert config.include == (own.parent / "inc",)
    assert (config.budget, config.show_unconfirmed, config.fail_on) == (3.0, True, "error")
    unset = Settings()
    for option in options().values():
        same = getattr(config, option.field) == getattr(unset, option.field)
        assert same is not option.file, f"{option.name} is not tested"


def test_every_example_of_the_table_is_right(own: Path) -> None:
    (own.parent / "include").mkdir()
    shown = {name: option for name, option in options().items() if option.file}
    own.write_text("".join(f"{name} = {o.example}\n" for name, o in shown.items()))
    assert set(load(own).values) == {option.field for option in shown.values()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selct = []", "unknown key 'selct'; did you mean 'select'?"),
        ("per_file_ignores = {}", "did you mean 'per-file-ignores'?"),
        ("zzz = 1", "unknown key 'zzz'; known are select, "),
        ('select = "CU1"', "select: expected a list of strings"),
        ("select = [1]", "select: expected a list of strings"),
        ('launch = ["k<<<"]', "launch: expected the grid"),
        ("output-format = 'full'", "unknown key 'output-format'"),
        ("nvcc = './nvcc'", "nvcc: a program's path comes from the command line or from your own"),
        ('include = ["/usr/include"]', "include: '/usr/include' is outside the project"),
        ('include = [".."]', "include: '..' is outside the project"),
        ('compile-commands = "../build"', "compile-commands: '../build' is outside the project"),
        ('compile-commands = "a\\u0000"', "compile-commands: a path cannot hold a NUL"),
        ('baseline = "/etc/passwd"', "baseline: '/etc/passwd' is outside the project"),
        ("budget = 0", "budget: expected a number of seconds above 0, not 0"),
        ("jobs = 0", "jobs: expected a number of processes above 0, not 0"),
        ("jobs = true", "jobs: expected a number of processes above 0"),
        ("jobs = 2.5", "jobs: expected a number of processes above 0"),
        ("compile-commands = 1", "compile-commands: expected a string"),
        ('compile-commands = "none"', "compile-commands: "),
        ('frontend = "hipcc"', "frontend: expected one of nvrtc, "),
        ('arch = ["sm_1"]', "perflint.toml: arch: there is no architecture 'sm_1'; choose from "),
        ('define = [""]', "define: '' is no macro"),
        ('include = ["nope"]', "include: there is no directory "),
        ("nvcc = 1", "nvcc: expected true, false or the path of nvcc"),
        ("budget = true", "budget: expected"),
        ("budget = nan", "budget: expected"),
        ("cache-size = 'large'", "cache-size: 'large' is no size"),
        ("cache-size = true", "cache-size: expected a size"),
        ("show-unconfirmed = 1", "show-unconfirmed: expected true or false"),
        ('fail-on = "fatal"', "fail-on: expected one of note, warning, error, not 'fatal'"),
        ("fail-on = []", "fail-on: expected one of"),
        ('per-file-ignores = ["a"]', "per-file-ignores: expected a table"),
        ("x = ", "perflint.toml: "),
    ],
)
def test_a_wrong_file_is_one_line_and_status_2(
    text: str, message: str, run: Run, pipeline: Pipeline, project: Path
) -> None:
    (project / "perflint.toml").write_text(text)
    outcome = run("a.cu")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert "perflint.toml: " in outcome.err and message in outcome.err
    assert run("a.cu", "--isolated").status == 0


@pytest.mark.parametrize("key", ["select", "ignore"])
def test_an_unknown_rule_in_the_file(key: str, run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "perflint.toml").write_text(f'{key} = ["CU777"]')
    outcome = run("a.cu")
    assert outcome.status == 2 and "'CU777'" in outcome.err


def nearest(folder: Path) -> Path | None:
    return find(folder, pytest.fail)


def test_the_nearest_file_is_found(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.perflint]\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n")
    assert nearest(below) == tmp_path / "pyproject.toml"
    (tmp_path / "a" / "perflint.toml").write_text("")
    assert nearest(below) == tmp_path / "a" / "perflint.toml"
    (below / "pyproject.toml").write_text("[tool.perflint]\nselect = ['CU1']\n")
    assert nearest(below) == below / "pyproject.toml"
    assert load(below / "pyproject.toml").values == {"select": ("CU1",)}
    (below / ".perflint.toml").write_text("")
    assert nearest(below) == below / ".perflint.toml"


@pytest.mark.parametrize("text", ["[tool]\nperflint = 1\n", "[tool.perflint]\nnot toml"])
def test_a_wrong_pyproject(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"pyproject\.toml"):
        nearest(tmp_path)


@pytest.mark.parametrize("text", ["[[tool]]\n", "tool = 5\n", "[tool]\nx = 1\n", "[project]\n"])
def test_a_pyproject_that_is_not_ours(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert nearest(tmp_path) is None


def test_a_broken_pyproject_that_is_not_ours(run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "perflint.toml").unlink()
    (project / "pyproject.toml").write_text("[tool\n")
    outcome = run("a.cu")
    assert outcome.status == 0 and outcome.err.count("\n") == 1
    assert "pyproject.toml: " in outcome.err and "the file is passed over" in outcome.err


def test_a_pyproject_without_the_table_by_name(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    with pytest.raises(ConfigError, match=r"no \[tool\.perflint\] table"):
        load(tmp_path / "pyproject.toml")


def test_the_command_line_wins(run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "perflint.toml").write_text(EVERYTHING)
    (project / "inc").mkdir(exist_ok=True)
    (project / "build").mkdir()
    (project / "build" / "compile_commands.json").write_text("[]")
    (project / "nvcc").touch(0o755)
    run("a.cu", "--nvcc=./nvcc")
    options = pipeline.options
    assert options is not None and options.database is not None
    assert (options.frontend, options.jobs) == ("nvcc", 3)
    assert {"CU201", "CU002"} <= options.rules and not {"CU101", "CU001"} & options.rules
    assert (options.arch, options.budget) == (("sm_90",), 3.0)
    run(
        "a.cu",
        "--arch",
        "sm_70",
        "--select",
        "CU101",
        "--launch",
        "k=<<<9,32>>>",
        "-DM",
        "--budget=1",
    )
    options = pipeline.options
    assert options.rules == {"CU101"}
    assert (options.arch, options.budget, options.define) == (("sm_70",), 1.0, ("N=4", "M"))
    assert [launch.grid[0] for launch in options.launches] == [9]


def test_files_left_out(run: Run, pipeline: Pipeline, project: Path) -> None:
    (project / "perflint.toml").write_text(
        'exclude = ["b.cu"]\nper-file-ignores = {"old/*" = ["CU1"]}\n'
    )
    (project / "old").mkdir()
    for name in ("b.cu", "old/c.cu"):
        (project / name).write_text("")
    pipeline.result = Result((finding(path="a.cu"), finding(path="old/c.cu")), (), 2, 2)
    assert (
        run("--output-format", "concise", "-q", ".").out == "a.cu:3:5: warning: CU101 a warning\n"
    )
    assert pipeline.paths == (Path("a.cu"), Path("old/c.cu"))
    run("--force-exclude", "b.cu", "a.cu")
    assert pipeline.paths == (Path("a.cu"),)
