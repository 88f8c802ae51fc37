"""Which of the configurations that a tuner chooses among are compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

MOST = 3  #: of an autotuned kernel: the first, the last and one between them
FURTHER = 8  #: that are tried where none of these can be launched


class SharedMemoryError(Exception):
    """A block is to have more shared memory than the GPU gives one."""

    def __init__(self, wanted: int, limit: int, arch: str) -> None:
        super().__init__(f"{wanted:,} bytes of shared memory, and {arch} gives a block {limit:,}")


def compiled_of(
    name: str,
    configurations: Sequence[Any],
    launch: Callable[[Any, bool], Any],
    remarks: list[str],
) -> Any:
    """What the first configuration that is compiled gives.

    `launch` takes a configuration and whether it is the first that can be launched. One that wants
    too much shared memory is left out, as the tuner does, and `remarks` says so. Raises
    SharedMemoryError if none is left.
    """
    count = len(configurations)
    chosen = list(dict.fromkeys(round(i * (count - 1) / (MOST - 1)) for i in range(MOST)))
    if count > len(chosen):
        remarks.append(f"{name}: of its {count} configurations {len(chosen)} are compiled")
    others = [n for n in range(count) if n not in chosen]
    given: list[Any] = []
    refused: list[SharedMemoryError] = []
    for turn, number in enumerate((*chosen, *others[:FURTHER])):
        if turn >= len(chosen) and given:
            break
        try:
            given.append(launch(configurations[number], not given))
        except SharedMemoryError as error:
            refused.append(error)
    if refused and not given:
        raise refused[0]
    if refused:
        remarks.append(
            f"{name}: {len(refused)} of the {len(refused) + len(given)} configurations that were"
            f" compiled are left out, as its tuner leaves them out: one wants {refused[0]}"
        )
    return next((kernel for kernel in given if kernel is not None), None)
