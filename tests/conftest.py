"""No test uses, or leaves anything in, the cache of whoever runs the tests, or depends on time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from perflint.base import chance, records

#: The tests hold what a type checker holds elsewhere: nobody assigns to frozen objects.
records.REFUSES = True

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # under nohup, or in a shell's background: what the tests start must hear an interrupt again
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Examples are drawn anew in each run, so that many runs try many.
settings.register_profile("any machine", deadline=None, max_examples=40)
settings.load_profile("any machine")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache directory of this run of tests."""
    where = tmp_path_factory.mktemp("cache")
    before = os.environ.get("PERFLINT_CACHE_DIR")
    os.environ["PERFLINT_CACHE_DIR"] = str(where)
    yield where
    if before is None:
        del os.environ["PERFLINT_CACHE_DIR"]
    else:
        os.environ["PERFLINT_CACHE_DIR"] = before


@pytest.fixture(autouse=True)
def unspoiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test cut short, or lost a process over, is not held against the next one's results.

    A process keeps nothing once it is spoiled (`perflint.base.chance`), and tests share theirs.
    """
    monkeypatch.setattr(chance, "_spoiled", False)


#: Folders and modules whose tests are not about processes: what they check is checked in the tests'
#: own, with the compiler that is warm already. A process for each check would start a compiler of
#: its own, which takes longer than most of these sources.
HERE = (
    *("rules", "why", "papers", "family", "grab", "report", "endtoend", "launches", "compare"),
    *("profile", "cli/test_check", "cli/test_fixes", "cli/test_frontends", "cli/test_suppression"),
    *("cli/test_triage", "cli/test_mcp", "cli/test_lsp", "cli/test_rule_packages"),
    *("cli/test_compilation_database", "hostile/test_fixing", "hostile/test_writing"),
    *("hostile/test_printing",),
)


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check files without processes, in the tests of `HERE`."""
    if _is_of(request.path, HERE):
        monkeypatch.setattr("perflint.work.parallel.FORKS", False)


#: Folders and modules whose tests take milliseconds, each; some of every part.
QUICK = (
    *("compare", "grammar", "layers", "report", "source"),
    *("analysis/test_cfg", "analysis/test_data_roles", "analysis/test_dependence"),
    *("analysis/test_domains", "analysis/test_expression", "analysis/test_fixpoint"),
    *("analysis/test_ranges", "cli/test_bounds", "cli/test_cache_tree", "cli/test_config"),
    *("cli/test_discovery", "cli/test_fixes", "cli/test_globs", "cli/test_init"),
    *("cli/test_launchspec", "cli/test_packaging", "cli/test_progress", "cli/test_rules"),
    *("cli/test_suppression", "csubset/test_expressions", "frontend/test_build_files"),
    *("frontend/test_command_lines", "frontend/test_includers", "hostile/test_processes"),
    *("launches/test_command", "profile/test_arguments", "python/test_functions"),
    *("rules/test_catalogue", "rules/test_levels", "rules/test_pages", "run/test_fatbin"),
    *("sim/test_access_counter", "sim/test_address_wrap", "sim/test_architecture"),
    *("sim/test_clock", "sim/test_contents", "sim/test_emulator", "sim/test_groups_and_halos"),
    *("view/test_request_svg", "view/test_trace"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is quick."""
    for item in items:
        if _is_of(item.path, QUICK):
            item.add_marker(pytest.mark.quick)


def _is_of(path: Path, names: Sequence[str]) -> bool:
    """Whether a test's file is one of these modules, or in one of these folders."""
    name = path.relative_to(Path(__file__).parent).with_suffix("").as_posix()
    return any(name == each or name.startswith(f"{each}/") for each in names)
