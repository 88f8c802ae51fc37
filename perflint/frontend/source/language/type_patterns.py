"""Template parameters from a type that is passed: `Buffer<T>` against `lib::Buffer<float>`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perflint.frontend.source.language.tokens import (
    Token,
    closing_angle,
    inside_angles,
    spell,
    split,
)


def bound(
    pattern: Sequence[Token], words: Sequence[Token], names: Collection[str]
) -> dict[str, str]:
    """What `bool_constant<B>` binds against `std::bool_constant<false>`; {} where they differ."""
    if len(pattern) == 1 and pattern[0].text in names:
        return {pattern[0].text: spell(words)}
    inner, given = _listed(pattern), _listed(words)
    if inner is None or given is None:
        pairs = [(p.text, w.text) for p, w in zip(pattern, words, strict=False)]
        differ = len(pattern) != len(words) or any(p != w and p not in names for p, w in pairs)
        return {} if differ else {p: w for p, w in pairs if p in names}
    if inner[0] != given[0]:
        return {}
    each = (bound(p, w, names) for p, w in zip(inner[1], given[1], strict=False))
    return dict(pair for found in each for pair in found.items())


def _listed(tokens: Sequence[Token]) -> tuple[str, list[Sequence[Token]]] | None:
    """(`Accessor`, its arguments) of `at::Accessor<…>`; None of any other type."""
    start = next((i for i, t in enumerate(tokens) if t.text == "<"), 0)
    end = closing_angle(tokens, start) if start else None
    if end is None or end != len(tokens) - 1:
        return None
    return tokens[start - 1].text, list(split(inside_angles(tokens, start, end), angles=True))
