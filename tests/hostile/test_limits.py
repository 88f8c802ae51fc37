"""Every limit is in force: each has a source that meets it, and costs that source alone."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from perflint.base import processes
from perflint.base.architectures import UnknownArchitectureError, named
from perflint.cli import baseline
from perflint.cli.config import ConfigError
from perflint.frontend.build_files import build_folders
from perflint.frontend.compilation_database import DatabaseError
from perflint.frontend.directives import rewrite
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.pool import Limits, Pool, WorkerError
from perflint.frontend.ptx_file import read_ptx
from perflint.frontend.source.project.command_lines import command_lines
from perflint.frontend.translation_unit import read_facts
from perflint.grammar import PtxSyntaxError, parse
from perflint.work.database import load
from tests.cli.conftest import Outcome
from tests.hostile.conftest import KERNEL

Run = Callable[..., Outcome]
DOUBLED = (
    "template <class A, class B> struct P { A a; B b; };\ntypedef int T0;\n"
    + "".join(f"typedef P<T{i}, T{i}> T{i + 1};\n" for i in range(40))
    + "__global__ void k(T40 *a) {}\n"
)
MACROS = (
    "#define A0 1 +\n"
    + "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(40))
    + "__global__ void k(int *a) { *a = A40 1; }\n"
)
TEMPLATES = """\
template <int A, int N> __device__ int f() {
    if constexpr (N == 0) return A; else return f<2 * A, N - 1>() + f<2 * A + 1, N - 1>();
}
__global__ void k(int *a) { a[0] = f<1, 40>(); }
"""
LOOPS = """\
constexpr __device__ long f(long n) {
    long s = 0;
    for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) s += j;
    return s;
}
__global__ void k(long *a) { constexpr long x = f(1 << 30); *a = x; }
"""
BRACES = "__global__ void k(int *a) { " + "{" * 200_000 + "}" * 200_000 + " }\n"
INITIALISER = (
    "__device__ int x[] = {" + "1," * 3_000_000 + "};\n__global__ void k(int *a) { *a = x[0]; }\n"
)
TIGHT = Limits(cpu_seconds=3.0, memory_bytes=3 << 28)


@pytest.mark.parametrize(
    "text",
    [DOUBLED, MACROS, TEMPLATES, LOOPS, BRACES, INITIALISER],
    ids=["typedefs", "macros", "templates", "constexpr", "braces", "initialiser"],
)
def test_a_compile_ends_within_its_limits(text: str) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Pool(TIGHT) as pool:
        try:
            pool.compile(Job(text, "a.cu", options=("-std=c++17",)))
        except WorkerError as error:
            assert "CPU time" in str(error) or "memory" in str(error), error
        assert pool.compile(Job(KERNEL, "a.cu")).code == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < TIGHT.cpu_seconds + 5  # the start of two workers, and what is polled
    assert after.ru_maxrss << 10 < max(before.ru_maxrss << 10, 2 << 30)


@pytest.mark.parametrize("text", [DOUBLED, MACROS], ids=["typedefs", "macros"])
def test_cpu_time_is_what_stops_doublings(text: str) -> None:
    with Pool(TIGHT) as pool, pytest.raises(WorkerError, match=r"CPU time|memory"):
        pool.compile(Job(text, "a.cu"))


def test_memory_is_what_stops_a_large_program() -> None:
    small = replace(TIGHT, cpu_seconds=60.0, memory_bytes=200 << 20)
    with Pool(small) as pool:
        try:
            outcome = pool.compile(Job(INITIALISER, "a.cu"))
        except WorkerError as error:
            assert "memory" in str(error) or "crashed" in str(error)
        else:
            assert outcome.code and not outcome.ptx  # the compiler noticed it itself


def test_a_worker_has_an_end() -> None:
    with Pool(replace(TIGHT, life_seconds=3.0)) as pool:
        pool.compile(Job(KERNEL, "a.cu"))
        assert not pool.workers()  # what is left of its life is less than a job may take
        pool.compile(Job(KERNEL + "\n", "a.cu"))


def test_a_limit_for_good_stays(tmp_path: Path) -> None:
    """What a library sets back to the hard limit is the hard limit."""
    text = (
        "import resource, sys\n"
        "from perflint.base.limits import limit_cpu_for_good, limit_memory\n"
        "limit_cpu_for_good(1.0), limit_memory(1 << 30, hard=True)\n"
        "for kind in (resource.RLIMIT_CPU, resource.RLIMIT_DATA):\n"
        "    soft, hard = resource.getrlimit(kind)\n"
        "    assert soft == hard != resource.RLIM_INFINITY\n"
        "while True: pass\n"
    )
    (tmp_path / "endless.py").write_text(text)
    start = processes.Start(
        (*processes.own("x").command[:2], str(tmp_path / "endless.py")),
        tmp_path, processes.environment(),
    )  # fmt: skip
    assert processes.output(start, seconds=120, most=100).status is None


def test_such_files_cost_themselves_alone(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perflint.frontend.nvrtc.pool._shared", Pool(TIGHT))
    for name, text in {"b": DOUBLED, "c": BRACES, "d": LOOPS}.items():
        (tree / f"{name}.cu").write_text(text)
    begun = process_time()
    outcome = run("--select", "CU002,CU101", "--output-format", "concise", ".")
    assert outcome.out.startswith("a.cu:1:31: warning: CU101 ")
    assert "\nb.cu:" in outcome.out
    assert process_time() - begun < 60


# --- what is read ---------------------------------------------------------------------------------


def test_a_baseline_of_brackets_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text('{"perflint-baseline": 1, "findings": [' + "[]," * 5_000_000 + "1]}")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ConfigError, match=r"memory|ended"):
        baseline.read(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 << 10  # KB


def test_a_large_baseline_is_read(tmp_path: Path) -> None:
    entry = dict.fromkeys(("path", "code", "kernel", "message", "id"), "x" * 40)
    path = tmp_path / "b.json"
    path.write_text(json.dumps({"perflint-baseline": 1, "findings": [entry] * 25_000}))
    assert len(baseline.read(path)) == 25_000


@pytest.mark.parametrize(
    "text",
    ['[{{"directory": ".", "file": "a.cu", "x": {0}}}]', "[{0}]", "{0}"],
)
def test_a_number_of_five_million_digits(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text.format("1" * 5_000_000))
    with pytest.raises(DatabaseError, match="not JSON: Exceeds the limit"):
        load(path)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["sm_٨٠", "sm_8٠", "sm_" + "9" * 5000, "sm_80\n"])
def test_an_architecture_is_written_in_ascii(name: str) -> None:
    with pytest.raises(UnknownArchitectureError):
        named(name)


@pytest.mark.parametrize("name", ["CU101", "NOPE", "perflint-CU101"])
def test_a_comment_of_many_names(name: str, run: Run, tree: Path) -> None:
    for form in ("// perflint: ignore[{}]\n", "// NOLINT({})\n"):
        (tree / "a.cu").write_text(form.format(f"{name}," * 200_000) + KERNEL)
        outcome = run("--output-format", "concise", ".")
        assert outcome.status < 2 and " in 1 kernel of 1 file.\n" in outcome.out
        assert len(outcome.err) < 3000


@pytest.mark.parametrize("name", ["BUILD", "CMakeLists.txt", "meson.build", "Makefile", "run.sh"])
@pytest.mark.parametrize("character", ["1", "a", " "])
def test_a_long_word_of_a_build_file_takes_no_time(name: str, character: str, tree: Path) -> None:
    """Some took the square of its length: 30,000 characters 12 s, the largest file a day."""
    (tree / name).write_text("x\n" + character * 60_000 + "\n./a 1\n")
    begun = process_time()
    command_lines(tree / "a.cu", tree)
    build_folders(tree / "a.cu", tree)
    assert process_time() - begun < 5


@pytest.mark.parametrize("word", ["mov.u" + "3" * 60_000, "mo" + "v" * 60_000])
def test_a_long_word_of_ptx_takes_no_time(word: str) -> None:
    """What is meant by an unknown word is found by comparing all letters with all others'."""
    text = (
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<2>;\n"
    )
    begun = process_time()
    with pytest.raises(PtxSyntaxError):
        parse(f"{text}{word} %r1, %r1;\nret;\n}}\n", "a.ptx")
    assert process_time() - begun < 5


def test_a_long_expression_in_a_launch_takes_no_time(tree: Path) -> None:
    """It was read once for each of the choices that the program has: minutes."""
    chosen = "void (*p)(float *) = n ? k : " + "32 " * 30_000 + ";\n"
    launched = "if (n == 1) p = k;\n" * 100 + "p<<<1, 32>>>(a);\n" * 120
    (tree / "a.cu").write_text(f"{KERNEL}void f(float *a, int n) {{\n{chosen}{launched}}}\n")
    begun = process_time()
    read_facts(tree / "a.cu", root=tree)
    assert process_time() - begun < 10


def test_blanks_in_a_directive_take_no_time(tree: Path) -> None:
    """Those behind an `#include` took the square of their number, and so did empty lines."""
    text = KERNEL + '#include "a.h"' + " " * 60_000 + "x\n" + "\n" * 60_000 + "#line\n"
    (tree / "a.cu").write_text(text)
    begun = process_time()
    read_facts(tree / "a.cu", root=tree)
    rewrite(text.encode(), lambda include: None)
    assert process_time() - begun < 5


def test_empty_lines_of_ptx_take_no_time(tree: Path) -> None:
    """A pattern that began with `^\\s*` read the rest of them again from each of them."""
    (tree / "a.ptx").write_text(
        ".version 8.0\n.target sm_80\n" + " \n" * 60_000 + ".entry k() { }\n"
    )
    begun = process_time()
    compilation = read_ptx(tree / "a.ptx")
    assert compilation.ptx is not None and process_time() - begun < 5


def test_a_name_that_no_system_takes(tree: Path) -> None:
    """Looking whether there is such a file was an error, which cost the module."""
    name = "a" * 5000
    (tree / "a.ptx").write_text(
        f'.version 8.0\n.target sm_80\n.file 1 "{name}.cu"\n.file 2 "{name}.py"\n.entry k() {{ }}\n'
    )
    assert list(read_ptx(tree / "a.ptx").entries) == ["k"]
