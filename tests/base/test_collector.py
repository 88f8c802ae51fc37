"""What is imported is not looked through for cycles."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from perflint.base import collector


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_what_is_imported_meanwhile_is_looked_through_no_more() -> None:
    sys.modules.pop("this_is_new", None)
    before = gc.get_freeze_count()
    with collector.resting():
        assert not gc.isenabled()
        sys.modules["this_is_new"] = sys
    del sys.modules["this_is_new"]
    assert gc.isenabled()
    assert gc.get_freeze_count() > before


def test_where_nothing_is_imported_cycles_are_found_as_before() -> None:
    before = gc.get_freeze_count()
    with collector.resting():
        pass
    assert gc.get_freeze_count() == before
