"""One warm compile worker for all tests of the front end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perflint.frontend import Pool


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with Pool() as workers:
        yield workers
