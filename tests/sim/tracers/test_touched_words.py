"""The words that blocks touch are counted the same in a list and in an image."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.sim.tracers import touched_words
from perflint.sim.tracers.touched_words import IMAGE, MOST, TouchedWords, words_told

BLOCKS = 3


@pytest.mark.parametrize("few", [0, 500, 1 << 16])
def test_they_are_those_of_a_set(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an image from the start; from somewhere on; in a list to the end."""
    monkeypatch.setattr(touched_words, "FEW", few)
    draw = np.random.default_rng(1)
    touched, known = TouchedWords(BLOCKS), set[tuple[int, int]]()
    for _ in range(20):
        block = draw.integers(0, BLOCKS, (8, 8))
        words = draw.integers(0, 2000, (8, 8)) + draw.choice([0, MOST - 2000])
        touched.add(block, words)
        known |= set(zip(block.reshape(-1).tolist(), words.reshape(-1).tolist(), strict=True))
    assert touched.distinct == len(known)


@pytest.mark.parametrize("step", [-7, 1, 100])
@pytest.mark.parametrize("times", [1, 2, 50])
def test_runs_are_their_words(step: int, times: int) -> None:
    block = np.array([0, 0, 0, 2, 2])
    word = np.array([5000, 5001, 5003, 5000, 5001])
    touched = TouchedWords(BLOCKS)
    touched.add(block[:1], word[:1])
    touched.add_runs(block, word, step, times)
    known = {
        (b, w + n * step)
        for b, w in zip(block.tolist(), word.tolist(), strict=True)
        for n in range(times)
    }
    assert touched.distinct == len(known)


def test_there_may_be_none() -> None:
    assert TouchedWords(BLOCKS).distinct == 0


def test_many_blocks_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """An image of 4,096 blocks by all words of an allocation was 64 GiB, which systems refuse."""
    monkeypatch.setattr(touched_words, "FEW", 0)
    blocks = 1 << 12
    last = words_told(blocks) - 1
    assert blocks * (last + 1) <= IMAGE
    touched = TouchedWords(blocks)
    touched.add(np.array([0, blocks - 1]), np.array([last, last]))
    assert touched.distinct == 2
