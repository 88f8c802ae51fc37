"""What is assigned to: a vector as a whole, or a part of one."""

from __future__ import annotations

import pytest

from perflint.rules.memory.whole_vectors import is_whole


@pytest.mark.parametrize(
    ("target", "whole"),
    [
        ("*reinterpret_cast<uint4*>(&state[base + 0])", True),
        ("reinterpret_cast<int4 *>(state + row * 128)[0]", True),
        ("*(float4 *)(out + 4 * i)", True),
        ("((float4 *)out)[p.x]", True),
        ("((float4 *)out)[i].x", False),
        ("reinterpret_cast<uint4 *>(p)->w", False),
        ("*reinterpret_cast<unsigned *>(p)", False),
        ("out[i]", False),
    ],
)
def test_is_whole(target: str, whole: bool) -> None:
    assert is_whole(target) == whole
