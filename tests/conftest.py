"""No test uses, or leaves anything in, the cache of whoever runs the tests, or depends on time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # under nohup, or in a shell's background: what the tests start must hear an interrupt again
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("any machine", deadline=None)
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


#: Folders and modules whose tests take milliseconds, each.
QUICK = (
    *("grammar", "source", "report"),
    *("analysis/test_cfg", "analysis/test_domains", "analysis/test_expression"),
    *("analysis/test_fixpoint", "analysis/test_ranges", "cli/test_bounds", "cli/test_config"),
    *("cli/test_discovery", "cli/test_fixes", "cli/test_globs", "cli/test_launchspec"),
    *("cli/test_suppression", "hostile/test_processes"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is quick."""
    here = Path(__file__).parent
    for item in items:
        name = item.path.relative_to(here).with_suffix("").as_posix()
        if any(name == each or name.startswith(f"{each}/") for each in QUICK):
            item.add_marker(pytest.mark.quick)
