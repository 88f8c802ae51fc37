"""Text that is blanked keeps its places."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from perflint.base.text_lines import spaces_for
from perflint.frontend.source.language.tokens import blank


@given(st.text(alphabet="a/ \t\r\n\f\N{LINE SEPARATOR}é"))
def test_all_but_line_ends_become_spaces(text: str) -> None:
    code = text.encode()
    assert spaces_for(code) == re.sub(rb"[^\r\n]", b" ", code)
    assert blank(text) == re.sub(r"[^\n]", " ", text)
