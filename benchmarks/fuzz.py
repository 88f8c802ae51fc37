"""Fuzzing: what a stranger could write, made from what people wrote.

    python benchmarks/fuzz.py [--cases 10000] [--seed 0] [-j 2] [--keep DIR] [TARGET…]

Every case is made from its target, the seed and its number alone, and runs in a process with the
limits that files have. A problem is an internal error or any exception that is not meant for users,
a process that died, more than 20 s of CPU time or 1 GB for a case, or a sound file checked beside
some of them whose finding is lost. The exit status is 1 if there are problems. `--keep` writes
their inputs to a folder.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from perflint.base import launch_option
from perflint.base.launch_option import LaunchSpecError
from perflint.cli import baseline, config
from perflint.cli.settings import options
from perflint.frontend.build_files import build_folders, build_macros
from perflint.frontend.compilation_database import DatabaseError
from perflint.frontend.source.project.command_lines import command_lines
from perflint.frontend.source.project.user_files import UnreadableError
from perflint.frontend.translation_unit import read_facts
from perflint.grammar import PtxSyntaxError, parse
from perflint.lint.check_run import Run
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules
from perflint.lint.ruleset import load as load_rules
from perflint.lint.suppression import scan
from perflint.lint.translation_units import LIMITS, Unit
from perflint.work.assembly import check_unit
from perflint.work.database import load
from perflint.work.parallel import Crash, each, usable_cpus

ROOT = Path(__file__).parents[1]
SECONDS, BYTES = 20.0, 1 << 30  #: what no case may take
#: Seconds of simulation a kernel: less than people have, so that more cases fit into a night.
BUDGET = 0.2
TOGETHER = 20  #: cases that are checked in one run with a sound file, of each
OF = 500
TOLD = 500  #: cases between two lines on how far it is
SOUND = (
    "__global__ void sound(float *a) { a[threadIdx.x * 32] = 1; }\n"
    "void launch(float *a) { sound<<<1, 256>>>(a); }\n"
)


@dataclass(frozen=True)
class Outcome:
    """What came of one case."""

    problem: str = ""
    seconds: float = 0.0  #: of CPU time
    peak: int = 0  #: bytes, the most that the process has had so far


# --- making cases ---------------------------------------------------------------------------------

_TOKEN = re.compile(r"[\w$%.]+|[^\w\s]|\s+")
_NUMBERS = ("0", "-1", "1", "31", "32", "4294967296", "-2147483648", "18446744073709551615",
            "9" * 40, "1e308", "0f7F800000", "0d7FF0000000000000")  # fmt: skip


@cache
def corpus(*suffixes: str) -> tuple[str, ...]:
    """The texts that cases are made from: the repository's own kernels."""
    folders = ("examples", "tests")
    paths = sorted(p for f in folders for s in suffixes for p in (ROOT / f).rglob(f"*{s}"))
    texts = [p.read_text("utf-8", "replace") for p in paths if p.stat().st_size < 20_000]
    assert texts, "there is nothing to mutate"
    return tuple(texts)


@cache
def vocabulary(*suffixes: str) -> tuple[str, ...]:
    """Every token of the corpus."""
    return tuple(sorted({t for text in corpus(*suffixes) for t in _TOKEN.findall(text)}))


def mutant(r: random.Random, *suffixes: str) -> str:
    """A text of the corpus with a few tokens or lines changed, or two spliced."""
    text = r.choice(corpus(*suffixes))
    if r.random() < 0.1:
        other = r.choice(corpus(*suffixes))
        text = text[: r.randrange(len(text) + 1)] + other[r.randrange(len(other) + 1) :]
    for _ in range(r.choice((1, 1, 1, 2, 3, 8))):
        text = r.choice(_CHANGES)(text, r, suffixes)
    return text


def _tokens(text: str, r: random.Random, suffixes: tuple[str, ...]) -> str:
    tokens = _TOKEN.findall(text)
    if not tokens:
        return text
    at = r.randrange(len(tokens))
    number = [i for i, token in enumerate(tokens) if token[:1].isdigit()]
    match r.randrange(5):
        case 0:
            tokens[at] = r.choice(vocabulary(*suffixes))
        case 1:
            del tokens[at]
        case 2:
            tokens.insert(at, r.choice(vocabulary(*suffixes)))
        case 3 if number:
            tokens[r.choice(number)] = r.choice(_NUMBERS)
        case _:
            other = r.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def _lines(text: str, r: random.Random, _: tuple[str, ...]) -> str:
    lines = text.split("\n")
    at, other = r.randrange(len(lines)), r.randrange(len(lines))
    match r.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines[at:at] = [lines[other]] * r.choice((1, 2, 200))
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines = lines[:at]
    return "\n".join(lines)


def _characters(text: str, r: random.Random, _: tuple[str, ...]) -> str:
    at = r.randrange(len(text) + 1)
    new = "".join(r.choice("(){}[]<>;,.*&#\\\"'/%@\0\n\u2028\U0001f600a0 ") for _ in range(3))
    return text[:at] + new + text[at + r.randrange(4) :]


def _shape(text: str, r: random.Random, _: tuple[str, ...]) -> str:
    """What no person writes: nesting, repetition, long lines, a text's beginning, odd bytes."""
    at = r.randrange(len(text) + 1)
    many = r.choice((30, 300, 3000, 30_000))
    match r.randrange(6):
        case 0:
            left, right = r.choice(("()", "{}", "[]", "<>", ("if (a) ", ""), ("-", ""), ("*", "")))
            return text[:at] + left * many + "1" + right * many + text[at:]
        case 1:
            tokens = _TOKEN.findall(text)
            token = r.choice(tokens) if tokens else ";"
            return text[:at] + f" {token}" * many + text[at:]
        case 2:
            return text[:at] + r.choice((" ", "a", "1", "\\\n", "a, ", "a + ")) * many + text[at:]
        case 3:
            return text[:at]
        case 4:
            odd = r.choice(
                ("\ufeff", "\x00", "\udcff", "\udc80\udc81", "\r", "\x85", "\u2028", "\x1a")
            )
            return text[:at] + odd * r.choice((1, 3)) + text[at:]
        case _:
            return text[:at] + text[at:].replace("\n", r.choice(("\r", "\r\n", " ", "\\\n")))


_CHANGES = (_tokens, _tokens, _tokens, _lines, _characters, _shape)


def value(r: random.Random, depth: int = 0) -> Any:
    """Any value of JSON or TOML."""
    kinds: list[Callable[[], Any]] = [
        lambda: r.choice((0, 1, -1, 2**63, 1.5, True, False)),
        lambda: r.choice(
            ("", "a", "../..", "/etc/passwd", "CU101", "\0", "*" * 50, "a\nb", "sm_80")
        ),
    ]
    if depth < 3:
        kinds.append(lambda: [value(r, depth + 1) for _ in range(r.randrange(4))])
        kinds.append(lambda: {value(r, 9).__str__(): value(r, depth + 1) for _ in range(3)})
    return r.choice(kinds)()


def _toml(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_toml, data)) + "]"
    return json.dumps(data)


# --- running them ---------------------------------------------------------------------------------


@cache
def _run(root: Path) -> Run:
    chosen = CheckOptions(rules=frozenset(rules()), budget=BUDGET, root=root)
    return Run(chosen, load_rules(rules()), {}, root)


def _checked(path: Path, text: str) -> str:
    """What is wrong with how a file was checked; "" if nothing is."""
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    result = check_unit(Unit(path, "sm_80"), _run(path.parent))
    reasons = [item.reason for item in result.unanalysed]
    return next((reason for reason in reasons if "internal error" in reason), "")


def ptx(text: str, folder: Path) -> str:
    return _checked(folder / "case.ptx", text)


def cuda(text: str, folder: Path) -> str:
    return _checked(folder / "case.cu", text)


def grammar(text: str, folder: Path) -> str:
    with suppress(PtxSyntaxError):
        parse(text, "case.ptx")
    return ""


def facts(text: str, folder: Path) -> str:
    path = folder / "case.cu"
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    with suppress(UnreadableError):
        for found in read_facts(path, root=folder).values():
            for kernel in found.kernels:
                if not 1 <= kernel.span.line <= text.count("\n") + 1:
                    return "a kernel outside its file"
    return ""


def launches(text: str, folder: Path) -> str:
    with suppress(LaunchSpecError):
        launch_option.parse(text)
    return ""


def builds(text: str, folder: Path) -> str:
    name, _, rest = text.partition("\n")
    path = folder / "sub" / "a.cu"
    path.parent.mkdir()
    path.write_text("#include <x.h>\nint main(int argc, char **argv) { return argc; }\n")
    (folder / name).write_text(rest, encoding="utf-8", errors="surrogateescape", newline="")
    build_macros(path, folder)
    if any(not each.is_relative_to(folder) for each in build_folders(path, folder)):
        return "a folder outside of the project"
    command_lines(path, folder)
    return ""


def configuration(text: str, folder: Path) -> str:
    path = folder / "perflint.toml"
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(config.ConfigError):
        config.load(path)
    return ""


def database(text: str, folder: Path) -> str:
    path = folder / "compile_commands.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(DatabaseError):
        load(path).flags(folder / "a.cu")
    return ""


def suppressions(text: str, folder: Path) -> str:
    for python in (False, True):
        comments = scan(text, rules(), python=python)
        lines = text.count("\n") + 1
        if any(not 1 <= s.line <= lines or s.first > s.last for s in comments.suppressions):
            return "a suppression outside its file"
    return ""


def baselines(text: str, folder: Path) -> str:
    path = folder / "b.json"
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(config.ConfigError):
        baseline.split((), baseline.read(path), lambda _: "", str)
    return ""


def _configuration_text(r: random.Random) -> str:
    names = [*options(), "nonsense", "a.b", "tool"]
    lines = []
    for name in r.sample(names, r.randrange(1, 5)):
        known = options().get(name)
        example = known.example if known and known.example and r.random() < 0.5 else None
        lines.append(f"{name} = {example or _toml(value(r))}")
    text = "\n".join(lines)
    return _characters(text, r, ()) if r.random() < 0.3 else text


_LAUNCH = ("k", "<<<", ">>>", "(", ")", ",", "1", "256", "(16, 16)", "0", "-1", "n", "=", "1024",
           "4294967296", "1.5", "1e308", "nan", "a::b", "<float>", "_Z1kPf", " ", "x=0x10", "'",
           "\u0661", "blocks=", "9" * 30, "\0", "k<<<1,1>>>", "n=1", "2*n", "[", "]",
           "auto")  # fmt: skip


def _launch_text(r: random.Random) -> str:
    if r.random() < 0.5:
        text = "k<<<(64, 64), (16, 16), 0>>>(n=1024, a=1.5)"
        return _characters(text, r, ()) if r.random() < 0.5 else _tokens(text, r, (".cu",))
    return "".join(r.choice(_LAUNCH) for _ in range(r.choice((3, 8, 20, 2000))))


_BUILD_FILES = ("Makefile", "CMakeLists.txt", "run.sh", "README.md", "setup.py", "BUILD", "a.mk",
                "meson.build", "test_args.json", "sub/Makefile", "sub/run")  # fmt: skip
_BUILD = ("-DN=1", "-D", "-I", "..", "/etc", "$(N)", "${N}", "$N", "N = $(N)\n", "N := 1", "\n",
          "\t", "nvcc a.cu -o a", "./a 1 2", "a: a.cu", "#", "\\\n", "'", '"', "set(N 1)", "(", ")",
          "add_executable(a a.cu)", "add_test(NAME a COMMAND a 1)", "target_compile_definitions(a",
          "PUBLIC", "define_macros=[('N', '1')]", "for i in 1 2; do ./a $i; done", "$(shell id)",
          "`id`", "| ./a", "&& ./a -n 5", "{", "}", "include ../x.mk", "```\n", "$ ./a 3\n",
          "cc_binary(name = \"a\"", "args = [", "]", ",", "\0", "\udcff", "executable('a', 'a.cu')",
          "<<EOF", "ifdef N", "endif", "foreach(N 1 2 3)", "endforeach()", "%", "$@",
          "$<")  # fmt: skip


def _build_text(r: random.Random) -> str:
    words = (r.choice(_BUILD) + r.choice(" \n ") for _ in range(r.choice((5, 40, 400))))
    text = "".join(words)
    return f"{r.choice(_BUILD_FILES)}\n{_shape(text, r, ()) if r.random() < 0.1 else text}"


_FLAGS = ("-DN=1", "-D", "-I", "inc", "-include", "x.h", "@a.rsp", "-gencode", "arch=compute_90",
          "-arch=sm_90a", "-std=c++17", "\"", "'", "\\", "\0", "--options-file", "-o", "a.cu",
          "-Xcompiler", "-U", "N", ",", "=", "-I=..", "-isystem/usr", "\u2028")  # fmt: skip


def _database_text(r: random.Random) -> str:
    words = [r.choice(_FLAGS) for _ in range(r.randrange(12))]
    entry: Any = {"directory": ".", "file": "a.cu"}
    entry |= {"command": "nvcc " + " ".join(words)} if r.random() < 0.5 else {"arguments": words}
    if r.random() < 0.3:
        entry[r.choice(list(entry))] = value(r)
    data = [entry] * r.choice((1, 1, 1, 50)) if r.random() < 0.9 else value(r)
    text = json.dumps(data)
    return _characters(text, r, ()) if r.random() < 0.3 else text


_COMMENTS = ("// ", "/* ", " */", "# ", "perflint:", "ignore", "[", "]", "CU101", ",", "disable",
             "enable", "ignore-file", "NOLINT", "NOLINTBEGIN(", "NOLINTEND(", "perflint-CU101", ")",
             "\n", "a;", '"', "'", 'R"(', "\\\n", " -- why", '"""')  # fmt: skip


def _suppressions_text(r: random.Random) -> str:
    return "".join(r.choice(_COMMENTS) for _ in range(r.choice((5, 20, 300))))


def _baseline_text(r: random.Random) -> str:
    entry = {name: value(r) if r.random() < 0.2 else "x" for name in baseline.Entry.__annotations__}
    data: Any = {"perflint-baseline": r.choice((1, 1, 1, 2, "1")), "findings": [entry] * 3}
    if r.random() < 0.2:
        data = value(r)
    text = json.dumps(data)
    return _characters(text, r, ()) if r.random() < 0.3 else text


@dataclass(frozen=True)
class Target:
    """One thing to fuzz."""

    make: Callable[[random.Random], str]
    run: Callable[[str, Path], str]
    file: str  #: what a kept case is called


TARGETS = {
    "grammar": Target(lambda r: mutant(r, ".ptx"), grammar, "case.ptx"),
    "facts": Target(lambda r: mutant(r, ".cu"), facts, "case.cu"),
    "launches": Target(_launch_text, launches, "launch.txt"),
    "builds": Target(_build_text, builds, "build.txt"),
    "ptx": Target(lambda r: mutant(r, ".ptx"), ptx, "case.ptx"),
    "cuda": Target(lambda r: mutant(r, ".cu"), cuda, "case.cu"),
    "configuration": Target(_configuration_text, configuration, "perflint.toml"),
    "database": Target(_database_text, database, "compile_commands.json"),
    "suppressions": Target(_suppressions_text, suppressions, "case.cu"),
    "baselines": Target(_baseline_text, baselines, "b.json"),
}


def case(target: str, seed: int, number: int) -> str:
    """The input of one case."""
    return TARGETS[target].make(random.Random(f"{target}:{seed}:{number}"))


def outcome(target: str, seed: int, number: int) -> Outcome:
    """Run one case in this process."""
    text = case(target, seed, number)
    begun = process_time()
    with (
        tempfile.TemporaryDirectory(prefix="perflint-fuzz-") as folder,
        redirect_stdout(StringIO()) as out,
        redirect_stderr(out),
    ):
        try:
            problem = TARGETS[target].run(text, Path(folder))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if not problem and "Traceback" in out.getvalue():
            problem = "a traceback was printed"
    seconds = process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if not problem and seconds > SECONDS:
        problem = f"took {seconds:.0f} s"
    if not problem and peak > BYTES:
        problem = f"took {peak >> 20} MB"
    return Outcome(problem, seconds, peak)


def together(target: str, seed: int, numbers: Sequence[int], jobs: int) -> str:
    """Whether a sound file keeps its finding in one run with cases; what is wrong if not."""
    from perflint.work import pipeline

    suffix = Path(TARGETS[target].file).suffix
    with tempfile.TemporaryDirectory(prefix="perflint-fuzz-") as folder:
        (Path(folder) / "sound.cu").write_text(SOUND)
        for number in numbers:
            path = Path(folder) / f"case{number}{suffix}"
            path.write_text(case(target, seed, number), "utf-8", "surrogateescape", newline="")
        chosen = CheckOptions(
            rules=frozenset({"CU101"}), budget=BUDGET, root=Path(folder), jobs=jobs
        )
        found = pipeline.check(sorted(Path(folder).iterdir()), chosen).findings
    kept = any(f.place.path.name == "sound.cu" and f.verdict == "confirmed" for f in found)
    return "" if kept else "the finding in a sound file beside them is lost"


def fuzz(target: str, cases: int, seed: int, jobs: int) -> list[Outcome]:
    """The outcomes of a target's cases, in order."""
    results = each(lambda n: outcome(target, seed, n), cases, jobs, LIMITS)
    outcomes = []
    with closing(results) as found:
        for number, result in enumerate(found):
            made = Outcome(result.reason) if isinstance(result, Crash) else result
            outcomes.append(made)
            if made.problem:  # at once: a run of hours may be ended before its table is there
                print(f"    {target}:{seed}:{number}: {made.problem}", flush=True)
            if (number + 1) % TOLD == 0:
                print(f"    {target}: {number + 1:,} cases", file=sys.stderr, flush=True)
    for first in range(0, cases, OF) if target in ("ptx", "cuda") else ():
        numbers = range(first, min(first + TOGETHER, cases))
        if problem := together(target, seed, numbers, jobs):
            outcomes[first] = Outcome(problem)
            print(f"    {target}:{seed}:{first}: {problem}", flush=True)
    return outcomes


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    what = f"what to fuzz, all by default: {', '.join(TARGETS)}"
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET", help=what)
    parser.add_argument("--cases", type=int, default=10_000, help="of each target (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="others make other cases (%(default)s)")
    parser.add_argument("-j", "--jobs", type=int, default=usable_cpus(), help="processes")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where inputs of problems go")
    asked = parser.parse_args(arguments)
    print("target          cases  problems  slowest s  peak MB  cases/s", flush=True)
    failed = False
    for target in asked.targets:
        begun = perf_counter()
        found = fuzz(target, asked.cases, asked.seed, asked.jobs)
        rate = len(found) / (perf_counter() - begun)
        bad = [(number, each) for number, each in enumerate(found) if each.problem]
        failed |= bool(bad)
        slowest = max(each.seconds for each in found)
        peak = max(each.peak for each in found) >> 20
        print(f"{target:13} {len(found):7,} {len(bad):9,} {slowest:10.1f} {peak:8,} {rate:8.1f}",
              flush=True)  # fmt: skip
        if asked.keep:
            for number, _ in bad:
                folder = asked.keep / f"{target}-{asked.seed}-{number}"
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / TARGETS[target].file
                path.write_text(case(target, asked.seed, number), "utf-8", "surrogateescape")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
