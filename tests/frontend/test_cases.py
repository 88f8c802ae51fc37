"""Sources with what is to come of them in their comments, strict both ways.

`// kernels: a b<int>` lists the entries (`?` behind one: with assumed arguments), `// lost: k "…"`
a lost kernel and a part of the reason, `// remark: …` a part of a remark, and `// error: 3 …` at
the end of a line a genuine error there (at that column, if a number stands first).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file
from perflint.frontend.model import Compilation, EntryOrigin

CASES = sorted((Path(__file__).parent / "cases").glob("*.cu"))
FIRST_LOCATION = re.compile(r"\.entry\s+([\w$]+)\(.*?\.loc\s+(\d+)\s+(\d+)", re.DOTALL)
FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)


def title(origin: EntryOrigin) -> str:
    arguments = origin.template_arguments
    return (
        origin.kernel
        + (f"<{', '.join(arguments)}>" if arguments else "")
        + ("?" if origin.assumed else "")
    )


def listed(text: str) -> list[str]:
    """`a b<int, 3>` as its words, template arguments kept together."""
    return sorted(re.findall(r"\w+(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?\??", text))


@pytest.fixture(scope="module")
def compiled(pool: Pool) -> dict[Path, Compilation]:
    return {}


def compile_case(path: Path, pool: Pool, compiled: dict[Path, Compilation]) -> Compilation:
    if path not in compiled:
        compiled[path] = compile_file(path, pool=pool)
    return compiled[path]


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_case(path: Path, pool: Pool, compiled: dict[Path, Compilation]) -> None:
    as_marked(path, compile_case(path, pool, compiled))


def as_marked(path: Path, found: Compilation) -> None:
    """Assert that what came of a source is what its comments say."""
    text = path.read_text("utf-8")
    expected = re.search(r"^// kernels:(.*)$", text, re.MULTILINE)
    assert expected
    assert sorted(title(o) for o in found.entries.values()) == listed(expected[1])

    lost = dict(re.findall(r'^// lost: (\w+) "(.*)"$', text, re.MULTILINE))
    assert {k.name for k in found.lost} == set(lost), found.lost
    for kernel in found.lost:
        assert lost[kernel.name].replace('\\"', '"') in kernel.reason

    remarks = re.findall(r"^// remark: (.*)$", text, re.MULTILINE)
    for remark in remarks:
        assert any(remark in r for r in found.remarks), found.remarks

    errors = {
        (line, int(m[1] or 0), m[2])
        for line, code in enumerate(text.splitlines(), 1)
        if (m := re.search(r"// error: (?:(\d+) )?(.*)$", code))
    }
    assert len(found.errors) == len(errors), found.errors
    for line, column, message in errors:
        (error,) = [e for e in found.errors if e.line == line]
        assert error.genuine and error.path == path.resolve()
        assert message in error.message
        assert column in (0, error.column)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_each_kernel_begins_inside_its_definition(
    path: Path, pool: Pool, compiled: dict[Path, Compilation]
) -> None:
    found = compile_case(path, pool, compiled)
    assert found.ptx is not None
    files = {int(n): Path(name) for n, name in FILE.findall(found.ptx)}
    spans = {k.name: k.span for f in found.facts.values() for k in f.kernels}
    for entry, file, line in FIRST_LOCATION.findall(found.ptx):
        span = spans.get(found.entries[entry].kernel)
        if span is None:  # a macro's: the line where it is used
            used = path.read_text("utf-8").splitlines()[int(line) - 1]
            assert found.entries[entry].kernel in used
            continue
        assert files[int(file)] == span.path.resolve()
        assert span.line <= int(line) <= span.end_line


def test_nothing_of_this_machine_is_in_the_ptx(
    pool: Pool, compiled: dict[Path, Compilation]
) -> None:
    for path in CASES:
        found = compile_case(path, pool, compiled)
        assert found.ptx is not None
        named = set(FILE.findall(found.ptx))
        assert all("perflint-" not in name for _, name in named)
        assert all(Path(n).exists() or not n.startswith(("/", "\\")) for _, n in named), named
        said = (*(k.reason for k in found.lost), *found.remarks, *(e.message for e in found.errors))
        assert not [text for text in said if "perflint-" in text]
