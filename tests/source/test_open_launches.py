"""A file that may be read with its neighbours is given up at the first launch that needs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend.source.launches import launch_sites
from perflint.frontend.source.launches.launch_sites import OpenLaunchError
from perflint.frontend.translation_unit import read_facts

KERNEL = "__global__ void k(float *a, int n) { a[threadIdx.x] = n; }\n"
OPEN = "void run(float *a, int block) { k<<<8, block>>>(a, 3); k<<<8, 128>>>(a, 3); }\n"
CLOSED = "int main() { float *a; cudaMalloc(&a, 512); k<<<8, 128>>>(a, 3); }\n"


def _file(folder: Path, text: str) -> Path:
    path = folder / "a.cu"
    path.write_text(KERNEL + text, encoding="utf-8")
    return path


def test_an_open_launch_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[object] = []
    alternatives = launch_sites._alternatives

    def counted(*arguments: object) -> object:
        evaluated.append(arguments)
        return alternatives(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(launch_sites, "_alternatives", counted)
    with pytest.raises(OpenLaunchError):
        read_facts(_file(tmp_path, OPEN), root=tmp_path, closed=True)
    assert len(evaluated) == 1


def test_one_without_is_read_to_its_end(tmp_path: Path) -> None:
    path = _file(tmp_path, CLOSED)
    assert read_facts(path, root=tmp_path, closed=True) == read_facts(path, root=tmp_path)


def test_an_open_launch_is_read_where_that_is_not_asked(tmp_path: Path) -> None:
    (facts,) = read_facts(_file(tmp_path, OPEN), root=tmp_path).values()
    assert [site.is_open for site in facts.launches] == [True, False]


def test_where_a_file_costs_too_much_each_kernel_has_a_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch_sites, "SESSIONS_PER_FILE", 0)
    ways = "".join(f"    if (option({n})) threads = {32 * n};\n" for n in range(1, 31))
    text = f"bool option(int);\nvoid run(float *a, int threads) {{\n{ways}"
    path = _file(tmp_path, text + "    k<<<8, threads>>>(a, 3); k<<<8, threads>>>(a, 4);\n}\n")
    facts = read_facts(path, root=tmp_path)[path]
    assert [[a.text for a in site.arguments] for site in facts.launches] == [["a", "3"]]
    assert len(facts.unread) == 1
