"""Where the runtime tells a number is looked for in the files that ask it, and in no others."""

from __future__ import annotations

from pathlib import Path

from perflint.frontend.source.host.values.choices import Session
from perflint.frontend.source.host.values.environment import Environment
from perflint.frontend.source.host.values.runtime_answers import answered_in
from perflint.frontend.source.language.invention import Invention
from perflint.frontend.source.project.files import File
from perflint.frontend.source.project.sight import Project

TEXT = """struct Grid { int blocks; void ask(); void set(); };
void run(Grid *grid) { use(grid->blocks); }
"""
SETS = "void Grid::set() { blocks = 4; }\n"
ASKS = """void Grid::ask() {
    cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
}
"""


def _asked(others: dict[Path, str]) -> tuple[bool, dict[str, File]]:
    project = Project(Path("a.cu"), TEXT, others)
    session = Session(project, invention=Invention())
    place = Environment(session, project.main, TEXT.index("use"))
    found = answered_in(place, "grid->blocks")
    return found is not None, {f.path.name: f for f in project.neighbours("blocks")}


def test_a_file_that_asks_nothing_is_not_parsed() -> None:
    answered, files = _asked({Path("sets.cu"): SETS})
    assert not answered
    assert "source" not in vars(files["sets.cu"])


def test_one_that_asks_answers() -> None:
    answered, files = _asked({Path("asks.cu"): ASKS, Path("sets.cu"): SETS})
    assert answered
    assert "source" in vars(files["asks.cu"])


def test_what_a_file_includes_is_not_looked_for_where_it_asks_nothing() -> None:
    looked_for = []

    def find(path: Path, name: str, quoted: bool) -> None:
        looked_for.append((path.name, name))

    others = {
        Path("asks.cu"): f'#include "a.h"\n{ASKS}',
        Path("sets.cu"): f'#include "a.h"\n{SETS}',
    }
    project = Project(Path("a.cu"), TEXT, others, find)
    place = Environment(Session(project, invention=Invention()), project.main, TEXT.index("use"))
    assert answered_in(place, "grid->blocks") is not None
    assert looked_for == [("asks.cu", "a.h")]


def test_attributes_are_known_by_the_runtimes_names() -> None:
    known = {
        "MaxBlocksPerMultiprocessor": 32,
        "MaxBlockDimX": 1024,
        "MaxGridDimZ": 65535,
        "GlobalMemoryBusWidth": 5120,
    }
    for attribute, number in known.items():
        asks = ASKS.replace("MultiProcessorCount", attribute)
        project = Project(Path("a.cu"), TEXT, {Path("asks.cu"): asks})
        place = Environment(
            Session(project, invention=Invention()), project.main, TEXT.index("use")
        )
        found = answered_in(place, "grid->blocks")
        assert found is not None
        assert found.number == number
