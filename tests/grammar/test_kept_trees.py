"""What is kept of the parser's trees: the same modules, without the parser."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perflint.grammar import kept_trees, parse, quick
from perflint.grammar.kept_trees import KeptTrees
from perflint.grammar.terminals import lexicon
from tests.grammar.test_ways import CASES, UNCUT, plain
from tests.grammar.test_ways import TEXTS as ALL

TEXTS = [text for text in ALL if text not in UNCUT]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file, of a process that has read nothing yet."""
    path = tmp_path / "ptx.trees"
    again(path, monkeypatch)
    yield path
    forget()


def again(path: Path, monkeypatch: pytest.MonkeyPatch) -> KeptTrees:
    """As a new process would begin."""
    forget()
    made = KeptTrees(path)
    for module in ("quick", "reader"):
        monkeypatch.setattr(f"perflint.grammar.{module}.kept_trees", lambda: made)
    return made


def forget() -> None:
    for plans in (quick._statements, quick._items, quick._headers):
        plans.clear()


def read(text: str) -> Any:
    return plain(parse(text))


def no_parser(*_: Any) -> Any:
    raise AssertionError("the parser was asked")


def test_kept_trees_are_the_parsers(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = [read(text) for text in TEXTS]
    monkeypatch.setattr(quick, "_LONGEST_SHAPE", 10**9)
    forget()
    for text in TEXTS:
        parse(text)  # the long ones, too
    known = again(kept, monkeypatch)
    monkeypatch.setattr("perflint.grammar.syntax.parse_tokens", no_parser)
    assert known.terminals == lexicon().terminals
    assert [read(text) for text in TEXTS] == first


def test_what_is_known_is_not_written_again(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse(TEXTS[0])
    written = kept.read_bytes()
    again(kept, monkeypatch)
    parse(TEXTS[0])
    assert kept.read_bytes() == written


def test_two_processes_add_to_one_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse(TEXTS[0])
    one, other = again(kept, monkeypatch), KeptTrees(kept)
    parse(TEXTS[1])
    tokens = lexicon().tokenise(".version 9.0\n", "a.ptx")
    other.came("item", tokens, 0, 2, quick._items._parsed(tokens, 0, 2))
    other.keep(lexicon().terminals)
    assert len(KeptTrees(kept)._lines) > len(one._lines) + 1


@pytest.mark.parametrize("at", range(4))
def test_a_broken_file_is_none(kept: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Be it cut short, or with another number, name or checksum in a line."""
    first = read(TEXTS[0])
    lines = kept.read_text("utf-8").split("\n")
    ways = (
        lambda line: line[: len(line) // 2],
        lambda line: line.replace("0", "1"),
        lambda line: line.replace("operands", "address"),
        lambda line: line[:-1] + "x",
    )
    kept.write_text("\n".join([lines[0], *map(ways[at], lines[1:])]), "utf-8")
    again(kept, monkeypatch)
    assert read(TEXTS[0]) == first
    kept.write_text("\n".join([ways[at](lines[0]), *lines[1:]]), "utf-8")
    again(kept, monkeypatch)
    assert read(TEXTS[0]) == first


def test_another_grammars_trees_are_not_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = read(TEXTS[0])
    monkeypatch.setattr(kept_trees, "_key", lambda: 2)
    assert again(kept, monkeypatch).terminals is None
    assert read(TEXTS[0]) == first
    assert json.loads(kept.read_text("utf-8").partition("\t")[0])["key"] == 2


def test_a_tree_hangs_on_what_gives_tokens_their_codes(tmp_path: Path) -> None:
    grammar = Path(kept_trees.__file__).parent
    for name in kept_trees._MAKERS:
        (tmp_path / name).write_bytes((grammar / name).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_trees, "__file__", str(tmp_path / "kept_trees.py"))
        assert kept_trees._key() == KeptTrees(None)._key
        before = kept_trees._key()
        for name in kept_trees._MAKERS:
            (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
            assert kept_trees._key() != before, name
            before = kept_trees._key()


def test_what_another_version_adds_is_unknown(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that began before this one did: the file is another's by then."""
    parse(TEXTS[0])
    theirs = KeptTrees(kept)
    monkeypatch.setattr(kept_trees, "_key", lambda: 2)
    again(kept, monkeypatch)
    parse(TEXTS[0])  # the file is begun anew
    tokens = lexicon().tokenise(".version 9.0\n", "a.ptx")
    for each in (theirs, KeptTrees(kept)):
        assert KeptTrees(kept).tree("item", tokens, 0, 2) is None
        each.came("item", tokens, 0, 2, quick._items._parsed(tokens, 0, 2))
        each.keep(lexicon().terminals)
    assert KeptTrees(kept).tree("item", tokens, 0, 2) is not None


def test_a_full_file_grows_no_more(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_trees, "_MOST", 0)
    first = read(TEXTS[0])
    assert kept.read_text("utf-8").count("\n") == 0
    again(kept, monkeypatch)
    assert read(TEXTS[0]) == first


SCRIPT = """
import sys
from pathlib import Path
from perflint.grammar import parse
parse(Path(sys.argv[1]).read_text("utf-8"))
print("lark" in sys.modules)
"""


def test_lark_is_imported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    command = [sys.executable, "-P", "-c", SCRIPT, str(CASES[0])]
    said = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [each.stdout.strip() for each in said] == ["True", "False"]
