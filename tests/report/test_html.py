"""The page: nothing in it loads or runs but its own script; pictures tell what was counted."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from perflint.base.evidence import Edit, Fix, LaneBytes, WorstRequest
from perflint.base.span import Span
from perflint.cache.records import packed, unpacked
from perflint.lint.findings import (
    FileResult,
    Finding,
    LaunchNote,
    Related,
    Result,
    Unanalysed,
)
from perflint.lint.options import CheckOptions
from perflint.lint.source_text import read_source
from perflint.report import html, load
from perflint.report.pictures import pictures
from perflint.report.source_rows import Row, fix_rows, place_rows
from perflint.work.pipeline import check
from tests.report.cases import RESULTS, STORE, context
from tests.report.strict_html import Page

EVIL = (
    "</script></style></svg><script>alert(1)</script><img src=http://evil.example onerror=alert(1)>"
    "\"' onload='alert(1) <!-- ]]> &lt;b&gt; `<b>x</b>` \u202e\u2066evil\u2069\u200f\x00\x1b[31m"
)
LANES = tuple(range(32))


def evil() -> Result:
    path = Path(f"src/{EVIL}.cu")
    place = replace(STORE.place, path=path)
    assert STORE.request is not None
    found = replace(
        STORE, code=EVIL, name=EVIL, message=EVIL, help=EVIL, label=EVIL, kernel=EVIL,
        waste_text=EVIL, witness=EVIL, notes=(EVIL,), reason=EVIL, place=place,
        related=(Related(place, EVIL),),
        launch=LaunchNote(EVIL, assumed=True), request=replace(STORE.request, array=EVIL,
                                                               change=EVIL),
        fix=Fix(EVIL, (Edit(Span(path, 1, 1, 1, 2), EVIL),), safe=False),
    )  # fmt: skip
    lost = (Unanalysed(path, EVIL, EVIL),)
    return Result((found, found), lost, 1, 1, archs=(EVIL,))


def page(result: Result) -> str:
    source = "\n".join([f"int a = 1; // {EVIL}"] * 20)
    return load("html")(result, context(read=lambda path: source if "evil" in str(path) else None))


@pytest.mark.parametrize("case", [*RESULTS, "evil"])
def test_nothing_loads_or_runs_but_its_own(case: str) -> None:
    text = page(evil() if case == "evil" else RESULTS[case])
    read = Page(text)
    for element in read.elements:
        assert not [name for name in element.attributes if name.startswith("on")], element
        assert not {"src", "srcset", "style", "action", "xlink:href"} & set(element.attributes)
        if "href" in element.attributes:
            assert element.tag == "a" and element.attributes["href"].startswith("https://")
    assert not {"img", "iframe", "object", "embed", "link", "base", "image", "use"} & {
        each.tag for each in read.elements
    }
    [script], [style] = read.all("script"), read.all("style")
    [policy] = [
        m.attributes["content"]
        for m in read.all("meta")
        if m.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    for element, source in ((script, "script-src"), (style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    identities = [e.attributes["id"] for e in read.elements if "id" in e.attributes]
    assert len(set(identities)) == len(identities)


def test_what_strangers_wrote_stays_text() -> None:
    text = page(evil())
    assert "onerror" in text  # it is there, to be read
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f\x00-\x08\x0b-\x1f]", text)
    assert "<script>alert" not in text and "<img" not in text and "<!--" not in text
    heading = Page(text).all("h2")[0]
    assert "</script></style></svg><script>alert(1)</script>" in heading.text


def test_a_finding_with_its_picture() -> None:
    read = Page(load("html")(RESULTS["one"], context()))
    [article] = read.all("article")
    assert article.attributes["data-code"] == "CU101"
    captions = [each.text for each in read.all("figcaption")]
    assert captions == [
        "now32 sectors, 128 of 1,024 bytes used",
        "y as the slower index4 sectors, 128 of 128 bytes used",
    ]
    assert [mark.text for mark in read.all("mark")] == ["out[x * h + y]"]
    assert [row.text.strip() for row in read.of_class("new")] == [
        "+ 7        out[y * w + x] = in[y * w + x];"
    ]
    assert STORE.help in article.text and "Its excess is 43.8% of what" in article.text


def test_the_worst_come_first_and_all_are_there() -> None:
    read = Page(load("html")(RESULTS["many"], context()))
    assert [each.attributes["class"] for each in read.all("article")] == [
        "error", "warning", "warning", "note",
    ]  # fmt: skip
    [lost] = [each for each in read.all("summary") if "Not analysed" in each.text]
    assert lost.text == "Not analysed: 2"


def test_further_pictures_are_packed() -> None:
    many = Result((STORE,) * (html.PLAIN_PICTURES + 2), (), 1, 1)
    text = load("html")(many, context())
    assert text.count("<svg") == 2 * html.PLAIN_PICTURES
    assert f"Without JavaScript the {html.PLAIN_PICTURES} worst findings have pictures." in text
    packed = re.findall(r'data-packed="([^"]*)"', text)
    drawn = [zlib.decompress(base64.b64decode(each)).decode() for each in packed]
    assert drawn == 2 * [each.svg for each in pictures(STORE)]
    assert len(packed[0]) < len(drawn[0]) / 5


def _with(request: WorstRequest, arch: str = "sm_80") -> Finding:
    return replace(STORE, request=request, arch=arch)


def test_banks_are_those_of_the_gpu() -> None:
    column = LaneBytes("shared", 4, tuple(128 * lane for lane in LANES))
    padded = LaneBytes("shared", 4, tuple(132 * lane for lane in LANES))
    request = WorstRequest(column, 32, 1, "tile", padded, "rows padded by one element")
    before, after = pictures(_with(request))
    assert (before.count, after.count) == ("32 wavefronts", "1 wavefront")
    assert (before.heading, after.heading) == ("now", "rows padded by one element")


def test_no_picture_that_contradicts_the_count() -> None:
    """Offsets in several allocations look as if they were in one."""
    assert STORE.request is not None
    assert len(pictures(STORE)) == 2
    assert not pictures(_with(replace(STORE.request, measured=31)))
    assert not pictures(replace(STORE, request=None))
    assert len(pictures(_with(replace(STORE.request, after=None)))) == 1


def test_lanes_that_take_no_part() -> None:
    some = LaneBytes("global", 8, (None, 0, *[None] * 29, 800))
    [picture] = pictures(_with(WorstRequest(some, 2, 1)))
    assert picture.count == "2 sectors, 16 of 64 bytes used"


def test_rows_around_a_place() -> None:
    lines = ["a", "", "bcd = 1;", "", "e" * 1000]
    place = Span(Path("a.cu"), 3, 1, 3, 4)
    assert place_rows(lines, place) == [
        Row(1, "a"), Row(2, ""), Row(3, "", "bcd", " = 1;"), Row(4, ""), Row(5, "e" * 240 + "…"),
    ]  # fmt: skip
    far = Span(Path("a.cu"), 5, 901, 5, 903)
    assert place_rows(lines, far)[-1] == Row(5, "…" + "e" * 40, "ee", "e" * 98)
    assert place_rows(lines, Span(Path("a.cu"), 6, 1, 6, 2)) == []


def test_a_fix_with_edits_far_apart() -> None:
    path, lines = Path("a.cu"), [f"line {n}" for n in range(1, 41)]
    edits = (Edit(Span(path, 3, 1, 3, 5), "row"), Edit(Span(path, 30, 1, 31, 1), ""))
    [(at, rows)] = fix_rows(Fix("", edits, safe=True), lambda _: lines)
    assert at == path
    assert [(row.number, row.before, row.kind) for row in rows] == [
        (2, "line 2", ""), (3, "line 3", "gone"), (3, "row 3", "new"), (4, "line 4", ""),
        (None, "…", ""),
        (29, "line 29", ""), (30, "line 30", "gone"), (31, "line 31", ""),
    ]  # fmt: skip
    assert not list(fix_rows(Fix("", edits, safe=True), lambda _: lines[:10]))


def test_the_same_bytes_in_one_process_and_in_two(tmp_path: Path) -> None:
    column = "__global__ void k(float *a) { a[1024 * threadIdx.x] = 1; }\n"
    for name in ("a.cu", "b.cu"):
        launched = f"{column}void f(float *a) {{ k<<<64, {64 if name == 'a.cu' else 32}>>>(a); }}\n"
        (tmp_path / name).write_text(launched)
    pages = []
    for jobs in (1, 2):
        options = CheckOptions(frozenset({"CU101"}), root=tmp_path, jobs=jobs)
        result = check([tmp_path / "a.cu", tmp_path / "b.cu"], options)
        pages.append(load("html")(result, context(root=tmp_path, read=read_source)))
    assert pages[0] == pages[1]
    assert pages[0].count("<svg") == 4


def test_what_a_store_keeps_is_drawn_alike() -> None:
    """Pictures of a second run, whose results are not computed again."""
    kept = packed(FileResult(Path("a.cu"), (STORE,), (), ("naive",)))
    assert kept is not None
    again = unpacked(kept)
    assert again is not None and pictures(again.findings[0]) == pictures(STORE)
