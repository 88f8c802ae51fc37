"""`perflint launches`: the listing as text and as JSON, and as `--launch` takes it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.base.launch_option import parse
from perflint.cli.commands import cli

SOURCE = """
__global__ void halves(float *a, int n, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) a[i] += a[n - 1 - i];
}
void run(float *a, int n) { halves<<<(n / 2 + 127) / 128, 128>>>(a, n, n / 2); }
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "halves.cu").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "halves.cu"


def test_text(source: Path) -> None:
    found = CliRunner().invoke(cli, ["launches", "halves.cu"], standalone_mode=False)
    assert found.exception is None
    assert "halves.cu:2: halves" in found.output
    assert "    grid    5      computed from n\n" in found.output
    assert "    half    640    computed from n  `n / 2`\n" in found.output
    assert found.output.endswith(
        "1 launch of 1 kernel: 0 read, 1 in part, 0 with an assumed block.\n"
    )


def test_json(source: Path) -> None:
    arguments = ["launches", "--output-format", "json", str(source)]
    found = CliRunner().invoke(cli, arguments, standalone_mode=False)
    (kernel,) = json.loads(found.output)
    (launch,) = kernel["launches"]
    assert (kernel["filename"], kernel["row"], launch["row"]) == ("halves.cu", 2, 6)
    assert launch["values"]["half"] == {
        "value": "640",
        "origin": "computed",
        "of": ["n"],
        "why": None,
        "text": "n / 2",
    }
    assert [parse(each).grid[0] for each in launch["tried"]] == [5, 1]


def test_a_file_that_does_not_compile_is_told(source: Path) -> None:
    source.write_text("__global__ void broken(float *a) { a[0] = ; }\n")
    found = CliRunner().invoke(cli, ["launches", "halves.cu"], standalone_mode=False)
    assert "not tried: " in found.output
    assert "0 launches of 0 kernels" in found.output


def test_a_launch_as_findings_print_it_is_read_back() -> None:
    spec = parse(
        "k<<<(40, 36), 256>>>(n=1280 assumed, h=640 from n, m=7 from atoi(argv[1]) and 2 others, "
        "size=3000 by default, k=4)"
    )
    assert spec.arguments == (("n", 1280), ("h", 640), ("m", 7), ("size", 3000), ("k", 4))
    assert (spec.grid, spec.block) == ((40, 36, 1), (256, 1, 1))


def test_a_launch_whose_block_is_not_read_is_told_beside_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.cu").write_text(
        "__global__ void k(float *a) { a[threadIdx.x] += 1; }\n"
        "void one(float *a) { k<<<4, 64>>>(a); }\n"
        "void two(float *a) { k<<<4, unknown.size>>>(a); }\n"
    )
    found = CliRunner().invoke(cli, ["launches", "two.cu"], standalone_mode=False)
    assert "  two.cu:3\n    not tried: its block could not be read: " in found.output
    told = CliRunner().invoke(
        cli, ["launches", "--output-format", "json", "two.cu"], standalone_mode=False
    )
    (kernel,) = json.loads(told.output)
    assert [(u["filename"], u["row"]) for u in kernel["unread"]] == [("two.cu", 3)]
    assert len(kernel["launches"]) == 1


def listed_text(name: str) -> str:
    found = CliRunner().invoke(cli, ["launches", name], standalone_mode=False)
    assert found.exception is None
    return found.output


def test_equal_launches_are_told_with_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "equal.cu").write_text(
        "__global__ void k(float *a) { a[threadIdx.x] += 1; }\n"
        "void one(float *a) { k<<<4, 64>>>(a); }\n"
        "void two(float *a) {\n  k<<<4, 64>>>(a);\n  k<<<4, 64>>>(a);\n}\n"
    )
    assert "    the same at equal.cu:4, equal.cu:5\n" in listed_text("equal.cu")
    arguments = ["launches", "--output-format", "json", "equal.cu"]
    (kernel,) = json.loads(CliRunner().invoke(cli, arguments, standalone_mode=False).output)
    assert [place["row"] for place in kernel["launches"][0]["also"]] == [4, 5]


def test_a_launch_of_no_kernel_in_sight_is_told_in_a_header_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "only.cuh").write_text(
        "inline void go(float *a, int n) { elsewhere<<<n / 64, 64>>>(a, n); }\n"
    )
    told = listed_text(".")
    assert "only.cuh:1: elsewhere\n  not tried: nothing in sight that is compiled" in told
    assert "    block       64  read\n" in told
    assert told.endswith("with an assumed block; 1 of kernels that are not tried.\n")


def test_lists_of_templates_that_close_together_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "closed.cu").write_text(
        "template <class T> struct W { T x; };\n"
        "template <class T> __global__ void k(T *a) { a[threadIdx.x] = T(); }\n"
        "void go(W<W<float>> *a) { k<W<W<float>>><<<4, 64>>>(a); }\n"
    )
    assert "closed.cu:2: k<W<W<float>>>\n  closed.cu:3\n" in listed_text("closed.cu")


LAMBDAS = """
template <typename F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
template <typename... A> __global__ void many(A... all) {}
template <typename F> void run(int n, F f) { each<<<(n + 127) / 128, 128>>>(n, f); }
struct Doubled { float *a; __device__ void operator()(int i) const { a[i] *= 2; } };
void functor(float *a) { run(2000, Doubled{a}); }
void lambda(float *a) { run(1000, [=] __device__(int i) { a[i] += 1; }); }
void pack(float *a, int n) { many<<<4, 64>>>(a, n, [=] __device__(int i) { a[i] += 1; }); }
"""


def test_a_launch_with_a_lambda_is_told_with_the_reason(source: Path) -> None:
    """It was listed as the functor's, or, in a pack, as one of a kernel of fewer parameters."""
    source.write_text(LAMBDAS)
    found = CliRunner().invoke(cli, ["launches", "halves.cu"], standalone_mode=False).output
    assert "as --launch 'each<Doubled><<<16, 128>>>(n=2000)'" in found
    assert "halves.cu:4: each\n  not tried: the kernel is not compiled as it is launched" in found
    assert "the type of the lambda in line 7 has no name outside of its function" in found
    assert "many\n  not tried: it does not compile as it is launched: the type of the" in found
    assert found.count("tried as --launch") == 1


def test_a_kernel_that_is_given_lambdas_only_says_so(source: Path) -> None:
    source.write_text("\n".join(x for x in LAMBDAS.split("\n") if "Doubled" not in x))
    found = CliRunner().invoke(cli, ["launches", "halves.cu"], standalone_mode=False).output
    assert "each\n  not tried: it does not compile as it is launched: the type of the" in found


def test_a_header_of_methods_is_read_as_the_program_includes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "zmethods.cuh").write_text(
        "void Table<int>::fill(int *data) { set<<<1000 / BLOCK, BLOCK>>>(data, 1000); }\n"
    )
    (tmp_path / "table.cuh").write_text(
        "template <typename T> class Table;\n"
        "template <> class Table<int> { static constexpr int BLOCK = 125; void fill(int *); };\n"
        '#include "zmethods.cuh"\n'
    )
    (tmp_path / "app.cu").write_text(
        "__global__ void set(int *a, int n) { a[threadIdx.x] = nowhere(n); }\n"
        '#include "table.cuh"\n'
        "void run(Table<int> table, int *a) { table.fill(a); }\n"
    )
    told = listed_text(".")
    assert "app.cu:1: set\n  not tried: " in told
    assert "    grid    8     read\n    block   125   read\n" in told


BROKEN = """
__global__ void broken(float *a, int n, int half) { a[0] = nowhere(n, half); }
const int threads = 128;
void run(float *a, int n) { broken<<<(n + threads - 1) / threads, threads>>>(a, n, 2 * 20); }
"""


def test_launches_of_what_does_not_compile_are_listed_as_they_are_read(source: Path) -> None:
    source.write_text(BROKEN)
    arguments = ["launches", "halves.cu"]
    found = CliRunner().invoke(cli, arguments, standalone_mode=False).output
    assert "halves.cu:2: broken\n  not tried: " in found
    lines = {" ".join(line.split()) for line in found.split("\n")}
    assert "grid ? computed from n `(n + threads - 1) / threads`" in lines
    assert {"block 128 read", "n ? open", "half 40 read `2 * 20`"} <= lines
    assert found.endswith("with an assumed block; 1 of kernels that are not tried.\n")
    arguments += ["--output-format", "json"]
    (kernel,) = json.loads(CliRunner().invoke(cli, arguments, standalone_mode=False).output)
    assert kernel["reason"]
    assert kernel["launches"][0]["values"]["grid"]["of"] == ["n"]
    assert kernel["launches"][0]["tried"] == []


def test_a_launch_that_the_values_in_sight_exclude_is_told(source: Path) -> None:
    """It was in no list and no message where another launch of the kernel is tried."""
    source.write_text(
        "__global__ void k(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }\n"
        "void small(float *a, int n) { k<<<1, 64>>>(a, n); }\n"
        "void large(float *a, int n) { if (n <= 1024) k<<<1, n>>>(a, n); }\n"
        "int main() { small(0, 64); large(0, 4000); }\n"
    )
    found = CliRunner().invoke(cli, ["launches", "halves.cu"], standalone_mode=False).output
    why = "with the values in sight its block has 4,000 threads, and it is not made"
    assert f"  halves.cu:3\n    not tried: {why}\n" in found


def test_a_page_beside_the_sources_folder_is_the_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        SOURCE
        + "#include <cstdlib>\n"
        + (
            "int main(int argc, char **argv) {\n"
            "  float *a; int n = argc > 1 ? atoi(argv[1]) : 64;\n"
            "  cudaMalloc(&a, n * 4); run(a, n);\n}\n"
        )
    )
    (tmp_path / "given/src").mkdir(parents=True)
    (tmp_path / "given/src/fold.cu").write_text(program)
    (tmp_path / "given/README.md").write_text("Run it:\n\n    ./fold 4096   # elements\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for given, grid in (("../given", "16 "), ("../given/src", "1 ")):  # that is not in sight
        found = CliRunner().invoke(cli, ["launches", given], standalone_mode=False)
        assert f"    grid    {grid}" in found.output


def test_a_parameter_called_grid_is_not_the_grid(source: Path) -> None:
    source.write_text(
        "__global__ void fill(float *grid, int block) { grid[threadIdx.x * block] = 0; }\n"
        "void run(float *d) { fill<<<7, 64>>>(d, 3); }\n"
    )
    arguments = ["launches", "--output-format", "json", str(source)]
    found = CliRunner().invoke(cli, arguments, standalone_mode=False)
    values = json.loads(found.output)[0]["launches"][0]["values"]
    assert (values["grid"]["value"], values["block"]["value"]) == ("7", "64")
    assert (values["argument grid"]["value"], values["argument block"]["value"]) == ("array", "3")
