"""Options by name: what a program's run says, as its own loop over its arguments reads that."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from perflint.cli.commands import cli

PROGRAM = """
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
__global__ void k(float *a, int n, int m, float x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += m * x;
}
DECLARED
int main(int argc, char **argv) {
    READ
    float *a;
    cudaMalloc(&a, o.n * sizeof(float));
    k<<<(o.n + o.t - 1) / o.t, o.t>>>(a, o.n, o.m, o.x);
}
"""
STRUCT = "struct Options { int n = 1000, t = 128, m = 3; float x = 0.5f; };"
LOOP = "Options o; for (int i = 1; i < argc; ++i) { BODY }"
NOTHING = "k<<<8, 128>>>(n=1000, m=3, x=0.5)"

#: What reads the arguments, the arguments, and the launch.
READ: dict[str, tuple[str, str, str]] = {
    "compared": (
        LOOP.replace(
            "BODY",
            'if (!strcmp(argv[i], "--n") && i + 1 < argc) o.n = atoi(argv[++i]);'
            'else if (strcmp(argv[i], "-t") == 0) o.t = atoi(argv[i + 1]);'
            'else if (strncmp(argv[i], "-m=", 3) == 0) o.m = atoi(argv[i] + 3);'
            'else if (std::string(argv[i]) == "-x") { i++; o.x = atof(argv[i]); }',
        ),
        "--n 4096 -t 64 -m=7 -x 2.5",
        "k<<<64, 64>>>(n=4096, m=7, x=2.5)",
    ),
    "twice": (
        LOOP.replace("BODY", 'if (!strcmp(argv[i], "--n")) o.n = atoi(argv[i + 1]);'),
        "--n 64 --n 4096",
        "k<<<32, 128>>>(n=4096, m=3, x=0.5)",
    ),
    "two words": (
        LOOP.replace(
            "BODY",
            'if (!strcmp(argv[i], "--both")) {o.n = atoi(argv[++i]); o.m = 1 << atoi(argv[++i]); }',
        ),
        "--both 4096 5",
        "k<<<32, 128>>>(n=4096, m=32, x=0.5)",
    ),
    "a flag, and one not given": (
        LOOP.replace(
            "BODY",
            'if (!strcmp(argv[i], "--big")) o.n = 8192; if (!strcmp(argv[i], "--odd")) o.m = 77;',
        ),
        "--big",
        "k<<<64, 128>>>(n=8192, m=3, x=0.5)",
    ),
    "words that another function takes": (
        "std::vector<std::string> args(argv + 1, argv + argc); Options o;"
        "for (size_t i = 0; i < args.size(); i++) { const std::string &arg = args[i];"
        "auto next = [&]() { return args[++i]; };"
        'if (arg == "--n" || arg == "-n") o.n = std::stoi(next());'
        'else if (arg == "--pair") { o.t = std::stoi(next()); o.m = std::stoi(next()); } }',
        "-n 4096 --pair 256 9",
        "k<<<16, 256>>>(n=4096, m=9, x=0.5)",
    ),
    "members in a table": (
        "Options o; struct Row { const char *name; int Options::*what; };"
        'const Row rows[] = {{"--n", &Options::n}, {"--t", &Options::t}, {"--m", &Options::m}};'
        "for (int i = 1; i + 1 < argc; i += 2) for (const auto &r : rows)"
        "if (!strcmp(argv[i], r.name)) o.*r.what = atoi(argv[i + 1]);",
        "--t 64 --n 4096",
        "k<<<64, 64>>>(n=4096, m=3, x=0.5)",
    ),
    "letters with long names": (
        "Options o; static option all[] = {{\"count\", required_argument, nullptr, 'n'}}; int c;"
        'while ((c = getopt_long(argc, argv, "n:t:", all, nullptr)) != -1) switch (c) {'
        "case 'n': o.n = atoi(optarg); break; case 't': o.t = atoi(optarg); break; }",
        "--count 4096 -t64",
        "k<<<64, 64>>>(n=4096, m=3, x=0.5)",
    ),
    "another name": (
        LOOP.replace("BODY", 'if (!strcmp(argv[i], "--n")) o.n = atoi(argv[++i]);'),
        "--nn 4096",
        NOTHING,
    ),
    "words cut at their sign": (
        LOOP.replace(
            "BODY",
            "std::string a = argv[i]; size_t eq = a.find('=');"
            "int v = std::atoi(a.c_str() + eq + 1);"
            "std::string k = a.substr(2, eq - 2), text = a.substr(eq + 1);"
            'if (k == "n") o.n = std::stoi(text); else if (k == "m") o.m = 1 << v;',
        ),
        "--n=4096 --m=5",
        "k<<<32, 128>>>(n=4096, m=32, x=0.5)",
    ),
    "a letter's number in a variable": (
        "Options o; static option all[] = {{\"count\", required_argument, nullptr, 'n'}};"
        'for (int c; (c = getopt_long(argc, argv, "n:t:", all, nullptr)) != -1;) {'
        "int v = optarg ? atoi(optarg) : 0; switch (c) {"
        "case 'n': o.n = v; break; case 't': o.t = v; break; } }",
        "--count 4096 -t 64",
        "k<<<64, 64>>>(n=4096, m=3, x=0.5)",
    ),
    "asked for with a default": (
        'Arguments args(argc, argv); Options o; o.n = args.integer("n", o.n);'
        'o.m = args.get_int("m", 11); o.t = args.integer("threads", 256);',
        "--n=4096 --m 7",
        "k<<<16, 256>>>(n=4096, m=7, x=0.5)",
    ),
    "positions, counted": (
        "Options o; if (argc > 2) { o.n = atoi(argv[1]); o.m = atoi(argv[2]); }"
        + LOOP.replace("Options o; ", "").replace(
            "BODY", 'if (!strcmp(argv[i], "-t")) o.t = atoi(argv[++i]);'
        ),
        "4096 7 -t 64",
        "k<<<64, 64>>>(n=4096, m=7, x=0.5)",
    ),
    "on a further condition": (
        LOOP.replace(
            "BODY", 'if (!strcmp(argv[i], "--n")) { if (getenv("BIG")) o.m = atoi(argv[i + 1]); }'
        ),
        "--n 4096",
        NOTHING,
    ),
}


def tried(folder: Path, declared: str, read: str, run: str) -> str:
    text = PROGRAM.replace("DECLARED", declared).replace("READ", read)
    (folder / "app.cu").write_text(text)
    (folder / "run.sh").write_text(f"./app {run}\n")
    found = CliRunner().invoke(cli, ["launches", str(folder)], standalone_mode=False)
    assert found.exception is None
    rows = [r for r in found.output.splitlines() if "tried as" in r]
    return rows[0].partition("'")[2].rstrip("'") if rows and len(rows) == 1 else ""


@pytest.mark.parametrize(("read", "run", "wanted"), READ.values(), ids=READ)
def test_what_the_run_says(tmp_path: Path, read: str, run: str, wanted: str) -> None:
    assert tried(tmp_path, STRUCT, read, run) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"), [("4K", ""), ("4096", "k<<<32, 128>>>(n=4096, m=3, x=0.5)")]
)
def test_an_option_that_cannot_be_told_is_not_the_default(
    tmp_path: Path, word: str, wanted: str
) -> None:
    read = LOOP.replace("BODY", 'if (!strcmp(argv[i], "--n")) o.n = parsed(argv[++i]);')
    declared = "int parsed(const char *);\n" + STRUCT
    assert tried(tmp_path, declared, read, f"--n {word}") == wanted


@pytest.mark.parametrize("global_", [True, False])
def test_what_another_function_reads(tmp_path: Path, global_: bool) -> None:
    body = 'for (int i = 1; i < argc; ++i) if (!strcmp(argv[i], "--n")) o.n = atoi(argv[++i]);'
    if global_:
        declared = f"{STRUCT}\nOptions o;\nvoid parse(int argc, char **argv) {{ {body} }}"
        read = "parse(argc, argv);"
    else:
        declared = f"{STRUCT}\nvoid parse(int argc, char **argv, Options &o) {{ {body} }}"
        read = "Options o; parse(argc, argv, o);"
    assert tried(tmp_path, declared, read, "--n 4096") == "k<<<32, 128>>>(n=4096, m=3, x=0.5)"


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("o.ini:\n\n    [size]\n    n = 4096   # elements\n    m = 7\n", True),
        ("`o.ini`:\n\n```ini\nn = 4096\nm = 7\n```\n", True),
        ('o.ini:\n\n    { "n": 4096, "m": 7 }\n', True),
        ("other.ini:\n\n    n = 4096\n    m = 7\n", False),
    ],
)
def test_a_file_that_a_run_names_is_what_a_page_shows_of_it(
    tmp_path: Path, shown: str, wanted: bool
) -> None:
    read = (
        "Options o; std::ifstream file(argv[1]); std::string line;"
        "while (std::getline(file, line)) { std::string key = line.substr(0, line.find('='));"
        "int v = std::atoi(line.c_str() + line.find('=') + 1);"
        'if (key == "n") o.n = v; if (key == "m") o.m = v; }'
    )
    (tmp_path / "README.md").write_text(f"Run\n\n    ./app o.ini\n\n{shown}")
    text = PROGRAM.replace("DECLARED", STRUCT).replace("READ", read)
    (tmp_path / "app.cu").write_text(text)
    found = CliRunner().invoke(cli, ["launches", str(tmp_path)], standalone_mode=False)
    assert ("k<<<32, 128>>>(n=4096, m=7, x=0.5)" in found.output) is wanted
