"""Results kept from earlier runs: the same, and never those of something else."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from perflint.base import bounds, chance
from perflint.cache import records, store
from perflint.cache.records import packed, unpacked
from perflint.cache.store import Store
from perflint.lint.findings import FileResult, Result
from perflint.lint.options import CheckOptions
from perflint.work import filecheck, pipeline
from perflint.work.parts import Answer
from tests.cli.conftest import Outcome, finding

SOURCE = """#include "size.h"
__global__ void column(float *a) { a[(blockIdx.x * blockDim.x + threadIdx.x) * STRIDE] = 1.0f; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".git").mkdir()
    (root / "column.cu").write_text(SOURCE)
    (root / "size.h").write_text("#define STRIDE 32\n")
    return root


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really checked: in this process, so that it can count them."""
    files: list[str] = []
    real = filecheck.check_part

    def count(part: Any, unit: Any, run: Any) -> Answer:
        files.append(unit.path.name)
        return real(part, unit, run)

    monkeypatch.setattr(filecheck, "check_part", count)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    return files


def run(root: Path, where: Path, **options: Any) -> Result:
    paths = sorted(root.glob("*.cu"))
    given = CheckOptions(
        rules=frozenset({"CU101", "CU002"}), root=root, cache=where, bound=bounds.around(paths)
    )
    return pipeline.check(paths, replace(given, **options))


def test_the_same_again_is_found(project: Path, tmp_path: Path, checked: list[str]) -> None:
    first = run(project, tmp_path / "store")
    assert [f.code for f in first.findings] == ["CU101"]
    assert run(project, tmp_path / "store") == first
    assert checked == ["column.cu"]
    run(project, tmp_path / "store", cache=None)
    assert checked == ["column.cu"] * 2


#: A kernel that CU106 tells of, with an edit that keeps the element in a register.
REPEATED = """__global__ void sums(float *a, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = 0.0f;
    for (int k = 0; k < n; k++) {
        c[i] += a[k * 256 + i];
    }
}
void run() {
    float *a, *c;
    cudaMalloc(&a, 256 * 64 * sizeof(float));
    cudaMalloc(&c, 256 * sizeof(float));
    sums<<<2, 128>>>(a, c, 64);
}
"""


def test_what_is_kept_without_fixes_serves_no_fix(
    project: Path, tmp_path: Path, checked: list[str]
) -> None:
    (project / "sums.cu").write_text(REPEATED)
    asked = {"rules": frozenset({"CU101", "CU106"})}
    plain = run(project, tmp_path / "store", fixes=False, **asked)
    [of_column, of_sums] = plain.findings
    assert of_sums.code == "CU106" and of_sums.untried and of_sums.fix is None
    assert of_column.code == "CU101" and not of_column.untried
    mended = run(project, tmp_path / "store", **asked)
    # of the other file there is nothing to try: what was kept of it is all
    assert sorted(checked) == ["column.cu", "sums.cu", "sums.cu"]
    tried = mended.findings[1]
    assert tried.fix is not None and not tried.untried
    assert replace(tried, fix=None, untried=True) == of_sums  # the same in everything else
    assert run(project, tmp_path / "store", fixes=False, **asked) == plain
    assert run(project, tmp_path / "store", **asked) == mended
    assert len(checked) == 3


def test_what_changed_is_checked_again(project: Path, tmp_path: Path, checked: list[str]) -> None:
    where = tmp_path / "store"

    def again(**options: Any) -> bool:
        before = len(checked)
        run(project, where, **options)
        return len(checked) > before

    assert again()
    (project / "size.h").write_text("#define STRIDE 1 \n")  # a header, of the same size
    assert not run(project, where).findings
    assert again(arch=("sm_90",))  # the GPU
    assert again(define=("UNUSED",))  # a flag
    assert again(budget=3.0)
    assert again(rules=frozenset({"CU101"}))
    (project / "new.h").write_text("")  # a file that a search may find
    assert again()
    (project / "new.h").unlink()
    assert not again()  # as it was before
    (project / "notes.log").write_text("no source")
    assert not again()
    (project / "linked.h").symlink_to("size.h")
    assert again()
    (project / "other.cu").write_text("void host(float *a) { }\n")  # another file to check
    assert again()


def test_perflint_itself_counts(
    project: Path, tmp_path: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(project, tmp_path / "store")
    monkeypatch.setattr("perflint.cache.run.program", lambda memo: (b"another version", memo))
    run(project, tmp_path / "store")
    assert checked == ["column.cu"] * 2


def test_only_what_changed_nothing_for_is_checked(
    project: Path, tmp_path: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is killed keeps what it had found till then."""
    (project / "next.cu").write_text(SOURCE)
    real = filecheck.check_part

    def killed(part: Any, unit: Any, run: Any) -> Answer:
        if unit.path.name == "next.cu":
            raise KeyboardInterrupt
        return real(part, unit, run)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(filecheck, "check_part", killed)
        run(project, tmp_path / "store")
    checked.clear()
    whole = run(project, tmp_path / "store")
    assert checked == ["next.cu"]
    assert whole == run(project, tmp_path / "fresh")


# --- what chance decided --------------------------------------------------------------------------


def test_results_of_chance_are_not_kept(
    project: Path, tmp_path: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("once")

    with monkeypatch.context() as patched:
        patched.setattr(filecheck, "check_kernel", fail)
        assert not run(project, tmp_path / "store", rules=frozenset({"CU101"})).findings
    assert run(project, tmp_path / "store", rules=frozenset({"CU101"})).findings


def test_a_simulation_that_the_clock_stopped_is_not_kept(
    project: Path, tmp_path: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "column.cu").write_text(
        "__global__ void k(float *a, int n) {\n"
        "    for (int i = 0; i < n; i++) a[threadIdx.x * n + i] *= 2;\n}\n"
    )
    with monkeypatch.context() as patched:
        patched.setattr("perflint.lint.run_budgets.PATIENCE", 0)
        run(project, tmp_path / "store")
        run(project, tmp_path / "store")
    assert checked == ["column.cu"] * 2


def test_facts_that_the_clock_cut_spoil_the_run(
    project: Path, tmp_path: Path, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(chance, "_spoiled", False)  # restored behind the test
        chance.spoil()
        run(project, tmp_path / "store")
    run(project, tmp_path / "store")
    assert checked == ["column.cu"] * 2


# --- the store ------------------------------------------------------------------------------------


def test_a_damaged_store_costs_nothing_but_time(
    project: Path, tmp_path: Path, checked: list[str]
) -> None:
    where = tmp_path / "store"
    first = run(project, where)
    for path in where.rglob("*"):
        path.write_bytes(b"not a store" * 1000)
    assert run(project, where) == first  # and does away with it
    run(project, where)
    assert run(project, where) == first
    assert checked == ["column.cu"] * 3
    (tmp_path / "file").write_text("")
    assert run(project, tmp_path / "file") == first  # where no folder can be


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_the_store_is_private(tmp_path: Path) -> None:
    where = tmp_path / "a" / "store"
    opened = Store.open(where)
    assert opened is not None
    opened.close()
    assert where.stat().st_mode & 0o777 == 0o700
    where.chmod(0o770)
    assert Store.open(where) is None  # others may have written there
    where.chmod(0o700)
    (tmp_path / "link").symlink_to(where)
    assert Store.open(tmp_path / "link") is None


def test_a_full_disk_only_means_that_nothing_is_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from diskcache import Cache

    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    first = run(project, tmp_path / "other")
    monkeypatch.setattr(Cache, "set", full)
    assert run(project, tmp_path / "store") == first
    monkeypatch.setattr(Cache, "__init__", full)
    assert run(project, tmp_path / "store") == first


def test_the_size_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SIZE_LIMIT", 1 << 20)
    opened = Store.open(tmp_path / "store")
    assert opened is not None
    for number in range(200):
        opened.set(str(number), os.urandom(20_000))  # 4 MB
    assert opened.get("199") is not None and opened.get("0") is None
    opened.close()
    assert sum(p.stat().st_size for p in (tmp_path / "store").iterdir()) < 3 << 20


def test_runs_beside_each_other_share_a_store(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from perflint.cache.store import Store\n"
        "s = Store.open(Path(sys.argv[1]))\n"
        "for i in range(50): s.set(f'{sys.argv[2]} {i}', sys.argv[2].encode() * 1000)\n"
    )
    where = tmp_path / "store"
    arguments = [sys.executable, "-c", script, str(where)]
    processes = [subprocess.Popen([*arguments, name]) for name in "abc"]
    assert [p.wait() for p in processes] == [0, 0, 0]
    opened = Store.open(where)
    assert opened is not None
    assert all(opened.get(f"{n} {i}") == n.encode() * 1000 for n in "abc" for i in range(50))
    opened.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
def test_a_run_that_is_killed_leaves_a_whole_store(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from perflint.cache.store import Store\n"
        "s = Store.open(Path(sys.argv[1]))\n"
        "for i in range(10**9):\n"
        "    s.set(str(i % 50), bytes([i % 50]) * 50_000)\n"
        "    if i == 60: print('going', flush=True)\n"
    )
    where = tmp_path / "store"
    for _ in range(3):
        arguments = [sys.executable, "-c", script, str(where)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"going\n"
            process.kill()
        opened = Store.open(where)
        assert opened is not None
        assert all(opened.get(str(i)) == bytes([i]) * 50_000 for i in range(50))
        opened.close()
    assert {path.name for path in where.iterdir()} <= set(store._FILES)


def test_what_others_put_there_is_never_run(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> Any:
            return (os.system, (f"touch {tmp_path}/harm",))

    assert unpacked(zlib.compress(pickle.dumps(Harm()))) is None
    assert unpacked(pickle.dumps(Harm())) is None and unpacked(b"") is None
    from diskcache import Cache

    opened = Store.open(tmp_path / "store")
    assert opened is not None
    with Cache(str(tmp_path / "store")) as plain:
        plain.set("harm", Harm())  # diskcache itself would unpickle it
    assert opened.get("harm") is None
    opened.close()
    assert not (tmp_path / "harm").exists()


def test_a_result_comes_back_as_it_was() -> None:
    result = FileResult(Path("a.cu"), (finding(),), (), ("k",), ("said",), frozenset({"k"}))
    data = packed(result)
    assert data is not None and unpacked(data) == result
    import numpy as np

    odd = replace(result, findings=(replace(finding(), severity=np.float64(1)),))
    assert packed(odd) is None  # it would not be ours


# --- the command line -----------------------------------------------------------------------------

Run = Callable[..., Outcome]


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    (project / "a.cu").write_text(SOURCE)
    monkeypatch.setenv("PERFLINT_CACHE_DIR", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(project)
    return project


@pytest.mark.parametrize(
    "arguments",
    [
        ("--output-format", "sarif"),
        ("--output-format", "json", "--show-unconfirmed"),
        ("--statistics",),
        ("--diff",),
        ("a.cu", "column.cu", "-v"),
        ("--select", "ALL", "--preview"),
    ],
)
def test_every_byte_is_the_same(here: Path, run: Run, arguments: tuple[str, ...]) -> None:
    (here / "column.cu").write_text(SOURCE + "// perflint: ignore[CU201] -- silences nothing\n")
    without, first, second = (run(*arguments, *more) for more in (["--no-cache"], [], []))
    assert without.out and without == first == second


def test_a_fixed_file_is_checked_anew(here: Path, run: Run) -> None:
    text = SOURCE + "// perflint: ignore[CU201] -- silences nothing\n"
    (here / "a.cu").write_text(text)
    for _ in range(2):  # as it was again, the second time
        (here / "a.cu").write_text(text)
        assert "CU003" in run("a.cu").out
        assert "CU003" not in run("a.cu", "--fix").out
        assert "CU201" not in (here / "a.cu").read_text()
        assert "CU003" not in run("a.cu").out


def test_a_project_may_say_no_but_not_where(here: Path, run: Run, tmp_path: Path) -> None:
    (here / "perflint.toml").write_text("cache = false\n")
    run("a.cu")
    assert not (tmp_path / "user").exists()
    run("a.cu", "--cache")
    assert (tmp_path / "user").exists()
    (here / "perflint.toml").write_text('cache = "here"\n')
    assert "expected true or false" in run("a.cu").err


def test_cleaning(here: Path, run: Run, tmp_path: Path) -> None:
    assert run("cache", "dir").out == f"{tmp_path / 'user'}\n"
    assert "was empty" in run("cache", "clean").out
    run("a.cu")
    assert (tmp_path / "user" / "cache.db").exists()
    (tmp_path / "user" / "mine.txt").write_text("")
    assert "freed" in run("cache", "clean").out
    assert [p.name for p in (tmp_path / "user").iterdir()] == ["mine.txt"]


HEAVY = ("numpy", "z3", "lark", "tree_sitter", "pycparser", "perflint.work.filecheck")


def test_a_run_of_kept_results_imports_nothing_heavy(here: Path, tmp_path: Path) -> None:
    script = (
        "import json, sys\nfrom perflint.__main__ import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )

    def modules() -> set[str]:
        process = subprocess.run(
            [sys.executable, "-c", script, "-q", "."], capture_output=True, text=True, check=True
        )
        assert "CU101" in process.stdout
        return set(json.loads(process.stderr))

    assert modules() >= {"perflint.work.filecheck"}
    assert not modules() & set(HEAVY)


def test_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERFLINT_CACHE_DIR", str(tmp_path))
    assert store.directory() == tmp_path
    monkeypatch.delenv("PERFLINT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    found = store.directory()
    assert found is not None and found.parts[-2:] == ("perflint", "results")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path("~/.cache/perflint"))
    assert store.directory() is None


def _records(kind: Any) -> set[type]:
    """The records that values of a type may consist of."""
    own = isinstance(kind, type) and is_dataclass(kind)
    inner = get_type_hints(kind).values() if own else get_args(kind)
    return {kind for _ in range(own)}.union(*map(_records, inner))


def test_whatever_a_result_consists_of_is_kept() -> None:
    found = {(each.__module__, each.__name__) for each in _records(FileResult)}
    assert len(found) > 10
    assert {(m, n) for m, n in found if n not in records._RECORDS.get(m, ())} == set()
